// A vector for arrays that may grow to many megabytes.
//
// On trees of a million nodes, a quarter of the time of a walk went into page faults and misses of
// the address cache. Where the system has huge pages, large arrays ask for them; small ones, and
// other systems, get what std::vector always gets.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cattleya {

template <class T>
struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}  // NOLINT: allocators convert into each other

    T* allocate(std::size_t count) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (count * sizeof(T) >= kLarge) {
            const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
            void* memory = std::aligned_alloc(kPage, bytes);
            if (memory == nullptr) throw std::bad_alloc();
            madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on its success
            return static_cast<T*>(memory);
        }
#endif
        void* memory = std::malloc(count * sizeof(T));
        if (memory == nullptr && count != 0) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, std::size_t) { std::free(memory); }

    template <class U>
    bool operator==(const HugePages<U>&) const {
        return true;
    }

   private:
    static constexpr std::size_t kPage = std::size_t{2} << 20;
    static constexpr std::size_t kLarge = 2 * kPage;
};

template <class T>
using LargeVector = std::vector<T, HugePages<T>>;

}  // namespace cattleya
