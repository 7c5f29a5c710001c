// What a long computation may spend: time, memory, and the patience of whoever waits for it.
//
// The core knows nothing of Python. A caller hands in a `poll` that may throw (the binding's
// asks Python whether Ctrl-C was pressed); it is called every few hundredths of a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cattleya {

struct TimeoutExpired : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct MemoryLimitExceeded : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Budget {
   public:
    using Clock = std::chrono::steady_clock;

    static constexpr double kForever = std::numeric_limits<double>::infinity();
    static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

    explicit Budget(double seconds = kForever, std::size_t bytes = kUnbounded,
                    std::function<void()> poll = {})
        : bytes_(bytes), poll_(std::move(poll)), next_poll_(Clock::now() + kPollInterval) {
        // A century is forever, and keeps the sum below the clock's range.
        constexpr double kCentury = 3.2e9;
        limited_ = seconds < kCentury;
        if (limited_) {
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
        }
    }

    // Cheap enough for every step of an inner loop: looks at the clock once in 256 calls.
    void tick() {
        if ((++ticks_ & 255u) == 0) check();
    }

    // Looks at the clock now. For steps that are themselves long.
    void check() {
        const auto now = Clock::now();
        if (limited_ && now >= deadline_) throw TimeoutExpired("the time limit was reached");
        if (poll_ && now >= next_poll_) {
            next_poll_ = now + kPollInterval;
            poll_();
        }
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    // Call before memory of this size is asked for.
    void require(std::size_t bytes) const {
        if (bytes > bytes_) throw MemoryLimitExceeded("the memory limit was reached");
    }

   private:
    static constexpr std::chrono::milliseconds kPollInterval{30};

    std::size_t bytes_;
    std::function<void()> poll_;
    bool limited_ = false;
    Clock::time_point deadline_{};
    Clock::time_point next_poll_;
    std::uint32_t ticks_ = 0;
};

}  // namespace cattleya
