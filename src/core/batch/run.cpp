#include "batch/run.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace cattleya::batch {

namespace {

void add(auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); }

// Ends of lists that follow others.
void add_ends(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    const std::int64_t before = to.empty() ? 0 : to.back();
    for (const std::int64_t end : from) to.push_back(before + end);
}

}  // namespace

void Reasons::append(const Reasons& other) {
    code.append(other.code);
    add(covered, other.covered);
    part.append(other.part);
    add_ends(parts_end, other.parts_end);
}

void Answers::append(const Answers& other) {
    add(status, other.status);
    add(answered, other.answered);
    add(needs_guarded, other.needs_guarded);
    add(row_class, other.row_class);
    add(seconds, other.seconds);
    sufficient.append(other.sufficient);
    minimal.append(other.minimal);
    necessary.append(other.necessary);
    contrasts.append(other.contrasts);
    add_ends(contrasts_end, other.contrasts_end);
    add(contrast_count, other.contrast_count);
    add(relevant_count, other.relevant_count);
    count.append(other.count);
    minimal_count.append(other.minimal_count);
}

Run::Run(const Rows& rows, Asked asked, int threads, std::function<void()> poll)
    : n_rows_(rows.size()), asked_(std::move(asked)), piece_((n_rows_ + kPiece - 1) / kPiece) {
    const std::size_t most = std::max<std::size_t>(1, n_pieces());
    const std::size_t workers = std::min(most, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 0; i < workers; ++i) {
        Budget budget;
        budget.poll = poll;
        if (i != 0) {
            budget.poll = [this] {
                if (stopped_) throw Stopped();
            };
        }
        worker_.push_back(std::make_unique<RowWorker>(rows.atoms(), asked_, std::move(budget)));
    }
    thread_.reserve(workers);
    for (std::size_t i = 1; i < workers; ++i) {
        try {
            thread_.emplace_back([this, i] { loop(*worker_[i]); });
        } catch (const std::exception&) {
            break;  // no more threads, or no memory for one: fewer will do
        }
    }
}

Run::~Run() { stop(); }

void Run::stop() {
    stopped_ = true;
    for (std::thread& thread : thread_) thread.join();
    thread_.clear();
}

void Run::work(RowWorker& worker, std::size_t piece) {
    auto made = std::make_unique<Answers>();
    const std::size_t first = piece * kPiece;
    for (std::size_t row = first; row < std::min(first + kPiece, n_rows_); ++row) {
        worker.answer(row, *made);
    }
    {
        const std::lock_guard lock(mutex_);
        piece_[piece] = std::move(made);
        while (done_ < n_pieces() && piece_[done_] != nullptr) ++done_;
    }
    changed_.notify_one();
}

void Run::loop(RowWorker& worker) {
    try {
        for (std::size_t piece = next_++; piece < n_pieces() && !stopped_; piece = next_++) {
            work(worker, piece);
            worker.look();
        }
    } catch (const Stopped&) {
    } catch (...) {
        {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        changed_.notify_one();
    }
}

Answers Run::next(std::size_t rows, double seconds) {
    if (stopped_) throw std::logic_error("the run was ended");
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t wanted = std::min(n_pieces(), given_ + (rows + kPiece - 1) / kPiece);
    try {
        while (true) {
            {
                const std::lock_guard lock(mutex_);
                if (failure_) std::rethrow_exception(failure_);
                const std::chrono::duration<double> taken =
                    std::chrono::steady_clock::now() - begin;
                if (done_ >= wanted || (done_ > given_ && taken.count() >= seconds)) break;
            }
            const std::size_t piece = next_ < n_pieces() ? next_++ : n_pieces();
            if (piece < n_pieces()) {
                work(*worker_[0], piece);
            } else {
                std::unique_lock lock(mutex_);
                changed_.wait_for(lock, std::chrono::milliseconds(30),
                                  [&] { return done_ >= wanted || failure_ != nullptr; });
            }
            worker_[0]->look();
        }
    } catch (...) {
        stop();
        throw;
    }
    Answers result;
    const std::lock_guard lock(mutex_);
    for (; given_ < done_; ++given_) {
        result.append(*piece_[given_]);
        piece_[given_].reset();  // but it still counts as done: done_ is past it
    }
    return result;
}

}  // namespace cattleya::batch
