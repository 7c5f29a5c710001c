// A vector whose memory is counted (account.hpp), and which may grow to many megabytes.
//
// On trees of a million nodes, a quarter of the time of a walk went into page faults and misses of
// the address cache. Where the system has huge pages, large arrays ask for them; small ones, and
// other systems, get what std::vector always gets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
        const std::size_t bytes = bytes_of(count);
        if (Account* const account = Account::current()) {
            account->give_back(static_cast<std::int64_t>(bytes));
        }
        release(memory, count * sizeof(T), bytes);
    }

    template <class U>
    bool operator==(const Counted<U>&) const {
        return true;
    }

    // What so many values take.
    static std::size_t bytes_of(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes >= kLarge) return (bytes + kPage - 1) / kPage * kPage;
        if (bytes >= kMapped) return (bytes + 2 * kSmallPage) / kSmallPage * kSmallPage;
        return std::max(kSmallest, (bytes + kBeside + kUnit - 1) / kUnit * kUnit);
    }

   private:
    static constexpr std::size_t kPage = std::size_t{2} << 20;
    static constexpr std::size_t kLarge = 2 * kPage;
    // Of malloc: what it gives at the least, in which unit, and what it keeps beside each piece.
    static constexpr std::size_t kSmallest = 32, kUnit = 16, kBeside = 8;
    // From here on each piece may have pages of its own.
    static constexpr std::size_t kMapped = std::size_t{128} << 10, kSmallPage = 4096;
    static constexpr std::size_t kMost =
        static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T) - kPage;

#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Straight from the system, and back to it at once: malloc would keep what vectors leave as
    // they grow.
    static void* reserve(std::size_t used, std::size_t bytes) {
        if (used < kLarge) return ::operator new(used, std::nothrow);
        void* const given = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (given == MAP_FAILED) return nullptr;
        char* const begin = static_cast<char*>(given);
        const std::size_t before = kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage;
        munmap(begin, before);
        if (before != kPage) munmap(begin + before + bytes, kPage - before);
        madvise(begin + before, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on its success
        return begin + before;
    }
    static void release(void* memory, std::size_t used, std::size_t bytes) {
        if (used < kLarge) {
            ::operator delete(memory);
        } else {
            munmap(memory, bytes);
        }
    }
#else
    static void* reserve(std::size_t used, std::size_t) {
        return ::operator new(used, std::nothrow);
    }
    static void release(void* memory, std::size_t, std::size_t) { ::operator delete(memory); }
#endif
};

template <class T>
using Vector = std::vector<T, Counted<T>>;

}  // namespace cattleya
