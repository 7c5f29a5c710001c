#include "batch/row.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "counting/counting.hpp"
#include "minimum/minimum.hpp"
#include "reasons/antichain.hpp"
#include "support/account.hpp"

namespace cattleya::batch {
namespace {

constexpr double kForever = 3e9;  // seconds: a century, which the clock can still add

struct Refused {};

Budget::Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Budget::Clock::duration>(
        std::chrono::duration<double>(std::max(seconds, 0.0)));
}

}  // namespace

RowWorker::RowWorker(std::unique_ptr<RowAtoms> atoms, const Asked& asked, Budget budget)
    : atoms_(std::move(atoms)),
      asked_(asked),
      budget_(std::move(budget)),
      is_timed_(asked.seconds < kForever),
      keeps_(atoms_->keeps(asked.memory)),
      marks_(atoms_->n_groups(), 0),
      greedy_(atoms_->most()),
      place_(atoms_->most(), -1) {
    budget_.memory_limit = asked.memory;
    const auto mark = [&](const std::vector<std::int32_t>& groups, std::uint8_t bit) {
        for (const std::int32_t group : groups) {
            if (group < 0 || static_cast<std::size_t>(group) >= marks_.size()) {
                throw std::invalid_argument("atom " + std::to_string(group) + " is out of range");
            }
            marks_[group] |= bit;
        }
    };
    mark(asked.excluded, kExcluded);
    mark(asked.immutable, kImmutable);
    mark(asked.guarded, kGuarded);
}

// Each question has the memory of a row for itself, as where it is asked alone.
template <class Work>
auto RowWorker::within(Work work) {
    Account account(asked_.memory);
    const Accounting accounting(&account);
    return work();
}

void RowWorker::look() {
    budget_.deadline = Budget::Clock::time_point::max();
    budget_.look();
}

void RowWorker::answer(std::size_t row, Answers& to) {
    const auto begin = Budget::Clock::now();
    budget_.deadline =
        is_timed_ ? begin + duration(asked_.seconds) : Budget::Clock::time_point::max();
    clauses_ = nullptr;
    without_.reset();
    has_relevant_ = false;

    Status status = Status::kDone;
    std::uint8_t answered = 0, needs_guarded = 0;
    to.row_class.push_back(0);
    to.sufficient.open();
    to.minimal.open();
    to.contrast_count.push_back(0);
    to.relevant_count.push_back(0);
    try {
        atoms_->look_at(row);
        to.row_class.back() = atoms_->row_class();
        if (asked_.asks_guarded || !asked_.questions.empty()) search();
        if (asked_.asks_guarded) {
            for (std::size_t clause = 0; clause + 1 < clauses_->start.size(); ++clause) {
                if (lies_inside(clause, kExcluded | kGuarded)) needs_guarded = 1;
            }
        }
        for (const Question question : asked_.questions) {
            if (is_timed_) budget_.look();
            ask(question, to);
            answered |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(question));
        }
    } catch (const TimeoutExpired&) {
        status = Status::kTimeout;
    } catch (const MemoryLimitExceeded&) {
        status = Status::kMemory;
    } catch (const std::bad_alloc&) {
        status = Status::kMemory;
    } catch (const Refused&) {
        status = Status::kRefused;
    } catch (const std::invalid_argument&) {
        status = Status::kRefused;
    }
    if (!keeps_) {
        clauses_ = nullptr;
        atoms_->forget();
    }
    to.status.push_back(status);
    to.answered.push_back(answered);
    to.needs_guarded.push_back(needs_guarded);
    to.sufficient.close();
    to.minimal.close();
    to.necessary.close();
    to.count.close();
    to.minimal_count.close();
    to.contrasts_end.push_back(static_cast<std::int64_t>(to.contrasts.start.size()) - 1);
    to.seconds.push_back(std::chrono::duration<double>(Budget::Clock::now() - begin).count());
}

void RowWorker::search() {
    const auto run = [&] { clauses_ = &atoms_->clauses(budget_); };
    if (keeps_) {
        run();
    } else {
        within(run);
    }
}

bool RowWorker::lies_inside(std::size_t clause, std::uint8_t mark) const {
    const auto begin = clauses_->atom.begin();
    return std::all_of(begin + clauses_->start[clause], begin + clauses_->start[clause + 1],
                       [&](std::int32_t atom) { return has(atom, mark); });
}

// The clauses of the sufficient reasons: without what they may not have.
const Clauses& RowWorker::of_reasons() {
    if (asked_.excluded.empty()) return *clauses_;
    if (!without_) {
        Clauses left;
        for (std::size_t clause = 0; clause + 1 < clauses_->start.size(); ++clause) {
            for (auto k = clauses_->start[clause]; k < clauses_->start[clause + 1]; ++k) {
                const std::int32_t atom = clauses_->atom[k];
                if (!has(atom, kExcluded)) left.atom.push_back(atom);
            }
            if (static_cast<std::int64_t>(left.atom.size()) == left.start.back()) throw Refused();
            left.start.push_back(static_cast<std::int64_t>(left.atom.size()));
        }
        without_ = within([&] {
            return reasons::minimal_clauses({left.start, left.atom}, atoms_->most(), budget_);
        });
    }
    return *without_;
}

// The atoms that are in some clause, and the clauses in their places: small numbers without gaps.
void RowWorker::find_relevant() {
    if (has_relevant_) return;
    const Clauses& clauses = of_reasons();
    relevant_.clear();
    for (const std::int32_t atom : clauses.atom) {
        if (place_[atom] < 0) {
            place_[atom] = 0;
            relevant_.push_back(atom);
        }
    }
    std::sort(relevant_.begin(), relevant_.end());
    for (std::size_t i = 0; i < relevant_.size(); ++i) {
        place_[relevant_[i]] = static_cast<std::int32_t>(i);
    }
    renumbered_.resize(clauses.atom.size());
    std::transform(clauses.atom.begin(), clauses.atom.end(), renumbered_.begin(),
                   [&](std::int32_t atom) { return place_[atom]; });
    for (const std::int32_t atom : relevant_) place_[atom] = -1;
    has_relevant_ = true;
}

// Adds the codes of what was kept.
void RowWorker::add_kept(Lists<std::int32_t>& to) {
    std::sort(kept_.begin(), kept_.end());
    for (const std::int32_t atom : kept_) to.value.push_back(atoms_->code(atom));
}

void RowWorker::tell_kept(Reasons& to) {
    std::sort(kept_.begin(), kept_.end());
    atoms_->tell(kept_, to, budget_);
}

void RowWorker::ask(Question question, Answers& to) {
    switch (question) {
        case Question::kSufficient: {
            const Clauses& clauses = of_reasons();
            const auto path = atoms_->path();
            first_.clear();
            if (!asked_.excluded.empty()) {
                // What is left of the path may not be enough: what is not on it goes first.
                find_relevant();
                for (const std::int32_t atom : path) place_[atom] = 0;
                for (const std::int32_t atom : relevant_) {
                    if (place_[atom] < 0) first_.push_back(atom);
                }
                for (const std::int32_t atom : path) place_[atom] = -1;
            }
            for (auto atom = path.rbegin(); atom != path.rend(); ++atom) {
                if (!has(*atom, kExcluded)) first_.push_back(*atom);
            }
            kept_.clear();
            greedy_({clauses.start, clauses.atom}, first_, kept_);
            tell_kept(to.sufficient);
            return;
        }
        case Question::kMinimal:
            return ask_minimal(to);
        case Question::kContrastive:
            return ask_contrastive(to);
        case Question::kNecessary:
            return ask_necessary(to);
        case Question::kCount:
            return ask_count(to);
    }
}

void RowWorker::ask_contrastive(Answers& to) {
    const Clauses& clauses = *clauses_;
    const std::int64_t most = std::max<std::int64_t>(asked_.contrasts, 1);
    std::int64_t count = 0;
    for (std::size_t clause = 0; clause + 1 < clauses.start.size(); ++clause) {
        const auto own =
            std::span(clauses.atom)
                .subspan(clauses.start[clause], clauses.start[clause + 1] - clauses.start[clause]);
        if (!asked_.immutable.empty() &&
            std::ranges::any_of(own, [&](std::int32_t atom) { return has(atom, kImmutable); })) {
            continue;
        }
        if (++count > most) {
            if (!asked_.immutable.empty()) continue;
            count = static_cast<std::int64_t>(clauses.start.size()) - 1;
            break;
        }
        kept_.assign(own.begin(), own.end());
        add_kept(to.contrasts);
        to.contrasts.close();
    }
    to.contrast_count.back() = count;
}

void RowWorker::ask_necessary(Answers& to) {
    find_relevant();
    const Clauses& clauses = of_reasons();
    kept_.clear();
    // Smaller clauses come first, and no clause is empty: it would be the row's own class.
    for (std::size_t clause = 0; clause + 1 < clauses.start.size() &&
                                 clauses.start[clause + 1] - clauses.start[clause] <= 1;
         ++clause) {
        kept_.push_back(clauses.atom[clauses.start[clause]]);
    }
    add_kept(to.necessary);
    to.relevant_count.back() = static_cast<std::int64_t>(relevant_.size());
}

void RowWorker::ask_minimal(Answers& to) {
    find_relevant();
    const Clauses& clauses = of_reasons();
    const auto size = static_cast<std::int32_t>(relevant_.size());
    kept_.clear();
    within([&] {
        for (const std::int32_t place :
             minimum::minimum_hitting_set({clauses.start, renumbered_}, size, {}, budget_)) {
            kept_.push_back(relevant_[place]);
        }
    });
    tell_kept(to.minimal);
}

void RowWorker::ask_count(Answers& to) {
    find_relevant();
    const Clauses& clauses = of_reasons();
    const auto size = static_cast<std::int32_t>(relevant_.size());
    std::vector<std::uint64_t> count, minimal;
    within([&] {
        const counting::ClauseSet set{size, clauses.start,
                                      Vector<std::int32_t>(renumbered_.begin(), renumbered_.end())};
        const Natural found = counting::count(set, budget_).count;
        count.assign(found.begin(), found.end());
    });
    within([&] {
        const Natural found =
            minimum::count_minimum_hitting_sets({clauses.start, renumbered_}, size, budget_).count;
        minimal.assign(found.begin(), found.end());
    });
    to.count.add(count);
    to.minimal_count.add(minimal);
}

}  // namespace cattleya::batch
