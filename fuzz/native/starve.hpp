// Memory that runs out after so many allocations, in this thread.
#pragma once

#include <cstdint>

namespace fuzz {

constexpr std::int64_t kPlenty = INT64_MAX;
inline thread_local std::int64_t allocations_left = kPlenty;

// While it lives, the allocation after `allowed` others fails.
class Starve {
   public:
    explicit Starve(std::int64_t allowed) : allowed_(allowed) { allocations_left = allowed; }
    ~Starve() { allocations_left = kPlenty; }
    Starve(const Starve&) = delete;
    Starve& operator=(const Starve&) = delete;
    [[nodiscard]] std::int64_t used() const { return allowed_ - allocations_left; }

   private:
    std::int64_t allowed_;
};

}  // namespace fuzz
