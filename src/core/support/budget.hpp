// The limits of one computation: a deadline, a bound on memory, flags by which other threads may
// cancel it, and a hook that may interrupt. The bound is kept by the account (account.hpp); here it
// tells how much may be kept for later.
//
// Long loops call `tick(work)`; the clock is read once in about a hundred microseconds' worth of
// work, and the hook (a Python signal check, say) is called once in some thirty milliseconds. A
// `Budget` belongs to one computation; where several threads share a computation, each has its own
// copy and only the first has a hook.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "support/cancellation.hpp"

namespace cattleya {

struct TimeoutExpired : std::runtime_error {
    TimeoutExpired() : std::runtime_error("the time limit was reached; give a longer timeout") {}
};

struct Budget {
    using Clock = std::chrono::steady_clock;

    Clock::time_point deadline = Clock::time_point::max();
    std::int64_t memory_limit = std::int64_t{1} << 30;
    std::function<void()> poll;  // may throw; called about every 30 ms
    std::vector<CancelFlag> cancelled = watched_flags();

    // Reports `work` units done, a unit being roughly a nanosecond.
    void tick(std::int64_t work) {
        pending_work_ += work;
        if (pending_work_ >= kWorkBetweenLooks) look();
    }

    // All work that was reported.
    [[nodiscard]] std::int64_t done() const { return work_ + pending_work_; }

    // Looks at the clock and the flags now.
    void look() {
        work_ += pending_work_;
        pending_work_ = 0;
        const auto now = Clock::now();
        if (now >= deadline) throw TimeoutExpired();
        check_cancelled(cancelled);
        if (poll && now >= next_poll_) {
            next_poll_ = now + std::chrono::milliseconds(30);
            poll();
        }
    }

   private:
    static constexpr std::int64_t kWorkBetweenLooks = 200'000;
    std::int64_t pending_work_ = 0, work_ = 0;
    Clock::time_point next_poll_{};
};

}  // namespace cattleya
