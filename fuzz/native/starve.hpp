// Memory that runs out after so many allocations, in this thread: to be included once a program.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

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

void* operator new(std::size_t size) {
    if (fuzz::allocations_left-- <= 0) {
        fuzz::allocations_left = fuzz::kPlenty;  // only once: what cleans up may need some
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
