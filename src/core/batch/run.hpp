// Many rows on several threads: few rows at a time, taken from one counter, the answers in order.
//
// The thread that asks for the answers works, too; while it does something else with what it was
// given, the other threads go on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "batch/answers.hpp"
#include "batch/row.hpp"
#include "batch/vocabulary.hpp"
#include "support/budget.hpp"

namespace cattleya::batch {

class Run {
   public:
    // `poll` may throw; it is called in the thread that asks, about every 30 ms. All that is given
    // must stay until the end.
    Run(const Rows& rows, Asked asked, int threads, std::function<void()> poll);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run();

    // The answers about the next rows: as many, or all that are left, or those that there are after
    // some seconds.
    Answers next(std::size_t rows, double seconds);

   private:
    struct Stopped {};
    static constexpr std::size_t kPiece = 8;  // rows: a millisecond's work, or much more

    [[nodiscard]] std::size_t n_pieces() const { return piece_.size(); }
    void work(RowWorker& worker, std::size_t piece);
    void loop(RowWorker& worker);
    void stop();

    const std::size_t n_rows_;
    const Asked asked_;
    std::vector<std::unique_ptr<RowWorker>> worker_;
    std::vector<std::thread> thread_;
    std::vector<std::unique_ptr<Answers>> piece_;
    std::size_t given_ = 0;  // pieces
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> stopped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t done_ = 0;  // pieces, all of the first ones
    std::exception_ptr failure_;
};

}  // namespace cattleya::batch
