// A question that another thread may cancel: a flag that the thread at work looks at.
//
// Which flags a thread looks at is set around its questions, not handed to each of them: a thread
// that watches a flag passes it on to whatever it asks, through its budgets (budget.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cattleya {

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("the question was cancelled by another thread") {}
};

// May be set by any thread, and stays set.
class CancelFlag {
   public:
    void set() { set_->store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool is_set() const { return set_->load(std::memory_order_relaxed); }
    friend bool operator==(const CancelFlag& one, const CancelFlag& other) {
        return one.set_ == other.set_;
    }

   private:
    std::shared_ptr<std::atomic<bool>> set_ = std::make_shared<std::atomic<bool>>(false);
};

// The flags that this thread looks at, the innermost last.
inline std::vector<CancelFlag>& watched_flags() {
    static thread_local std::vector<CancelFlag> flags;
    return flags;
}

inline void check_cancelled(const std::vector<CancelFlag>& flags) {
    for (const CancelFlag& flag : flags) {
        if (flag.is_set()) throw Cancelled();
    }
}

}  // namespace cattleya
