// What a computation holds, counted where it is allocated (vector.hpp): so a limit on memory holds
// for all that grows, and before it has grown.
//
// An account belongs to one computation and is current in every thread that works on it. What is
// allocated where none is current is not counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace cattleya {

struct MemoryLimitExceeded : std::runtime_error {
    explicit MemoryLimitExceeded(std::int64_t needed, std::int64_t limit)
        : std::runtime_error("the computation needs more than " + std::to_string(limit) +
                             " bytes (at least " + std::to_string(needed) +
                             "); give a larger memory_limit") {}
};

class Account {
   public:
    // `held` is what the computation holds already, from before.
    explicit Account(std::int64_t limit, std::int64_t held = 0) : limit_(limit), held_(held) {}

    [[nodiscard]] std::int64_t held() const { return held_.load(std::memory_order_relaxed); }

    // Call before so many bytes are allocated.
    void take(std::int64_t bytes) {
        const std::int64_t held = held_.fetch_add(bytes, std::memory_order_relaxed);
        if (bytes <= limit_ - held) return;
        give_back(bytes);
        throw MemoryLimitExceeded(held + bytes, limit_);
    }
    void give_back(std::int64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

    // That of this thread, or none.
    static Account*& current() {
        static constinit thread_local Account* account = nullptr;
        return account;
    }

   private:
    const std::int64_t limit_;
    std::atomic<std::int64_t> held_;
};

// Makes an account, or none, the current one of this thread for as long as it lives.
class Accounting {
   public:
    explicit Accounting(Account* account) : before_(std::exchange(Account::current(), account)) {}
    Accounting(const Accounting&) = delete;
    Accounting& operator=(const Accounting&) = delete;
    ~Accounting() { Account::current() = before_; }

   private:
    Account* const before_;
};

}  // namespace cattleya
