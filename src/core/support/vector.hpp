// A vector whose memory is counted (account.hpp), and which may grow to many megabytes.
//
// On trees of a million nodes, a quarter of the time of a walk went into page faults and misses of
// the address cache. Where the system has huge pages, large arrays ask for them; small ones, and
// other systems, get what std::vector always gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "support/account.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cattleya {

template <class T>
struct Counted {
    using value_type = T;

    Counted() = default;
    template <class U>
    Counted(const Counted<U>&) {}  // NOLINT: allocators convert into each other

    T* allocate(std::size_t count) {
        if (count > kMost) throw std::bad_array_new_length();
        const std::size_t bytes = bytes_of(count);
        Account* const account = Account::current();
        if (account != nullptr) account->take(static_cast<std::int64_t>(bytes));
        void* const memory = reserve(count * sizeof(T), bytes);
        if (memory == nullptr) {
            if (account != nullptr) account->give_back(static_cast<std::int64_t>(bytes));
            throw std::bad_alloc();
        }
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, std::size_t count) {
        if (Account* const account = Account::current()) {
            account->give_back(static_cast<std::int64_t>(bytes_of(count)));
        }
        release(memory, count * sizeof(T));
    }

    template <class U>
    bool operator==(const Counted<U>&) const {
        return true;
    }

    // What so many values take.
    static std::size_t bytes_of(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes >= kLarge) return (bytes + kPage - 1) / kPage * kPage;
        return std::max(kSmallest, (bytes + kBeside + kUnit - 1) / kUnit * kUnit);
    }

   private:
    static constexpr std::size_t kPage = std::size_t{2} << 20;
    static constexpr std::size_t kLarge = 2 * kPage;
    // Of malloc: what it gives at the least, in which unit, and what it keeps beside each piece.
    static constexpr std::size_t kSmallest = 32, kUnit = 16, kBeside = 8;
    static constexpr std::size_t kMost =
        static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T) - kPage;

    static void* reserve(std::size_t used, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (used >= kLarge) {
            void* const memory = std::aligned_alloc(kPage, bytes);
            // a wish: nothing depends on its success
            if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);
            return memory;
        }
#endif
        return ::operator new(used, std::nothrow);
    }

    static void release(void* memory, [[maybe_unused]] std::size_t used) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (used >= kLarge) {
            std::free(memory);
            return;
        }
#endif
        ::operator delete(memory);
    }
};

template <class T>
using Vector = std::vector<T, Counted<T>>;

}  // namespace cattleya
