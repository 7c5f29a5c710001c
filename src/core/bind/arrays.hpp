// Arrays across the border: numpy in as spans, vectors out as numpy without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "support/account.hpp"
#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "support/vector.hpp"

namespace cattleya::bind {

namespace nb = nanobind;

// One-dimensional, contiguous, never converted: a wrong dtype is a TypeError, not a silent copy.
template <class T>
using In = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Byte = In<std::uint8_t>;
using Bool = In<bool>;
using Sign = In<std::int8_t>;
using Int = In<std::int32_t>;
using Long = In<std::int64_t>;
using Word = In<std::uint64_t>;
using Real = In<double>;
using Single = In<float>;

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> copy(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// The same, counted.
template <class T>
Vector<T> counted(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator>&& values) {
    using Values = std::vector<T, Allocator>;
    auto owned = std::make_unique<Values>(std::move(values));
    T* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<Values*>(p); });
    owned.release();
    return Out<T>(data, {size}, owner);
}

inline auto give_clauses(Clauses&& clauses) {
    return std::make_tuple(give(std::move(clauses.start)), give(std::move(clauses.atom)));
}

// A budget whose poll takes the GIL for a moment and lets Python handle its signals.
constexpr double kForever = 3e9;  // seconds: a century, which the clock can still add
constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

inline Budget python_budget(double seconds, std::int64_t bytes) {
    Budget budget;
    if (seconds < kForever) {
        budget.deadline =
            Budget::Clock::now() + std::chrono::duration_cast<Budget::Clock::duration>(
                                       std::chrono::duration<double>(std::max(seconds, 0.0)));
    }
    budget.memory_limit = bytes;
    budget.poll = [] {
        const Accounting nothing(nullptr);  // Python may let go of what other questions have taken
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    return budget;
}

// Runs without the GIL, within a budget and an account, which `held` bytes are on already.
template <class Work>
auto within(double seconds, std::int64_t memory, Work work, std::int64_t held = 0) {
    nb::gil_scoped_release free;
    Account account(memory, held);
    const Accounting accounting(&account);
    Budget budget = python_budget(seconds, memory);
    check_cancelled(budget.cancelled);  // before the first look, which may never come
    return work(budget);
}

}  // namespace cattleya::bind
