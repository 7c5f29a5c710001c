// A decision tree as it comes from the outside, and the way of a row through it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cattleya::tree {

// Arrays as they come from the outside; all of them one entry per node.
struct TreeArrays {
    std::span<const std::int32_t> left;
    std::span<const std::int32_t> right;
    std::span<const std::int32_t> condition;  // -1 at leaves
    std::span<const std::int32_t> leaf_class;
};

// One entry per condition.
struct ConditionArrays {
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
};

struct Path {
    std::int32_t leaf_class;
    std::vector<std::int32_t> conditions;  // in the order of the path, each once
};

// Where a class is asked for, `toward`: any but the row's own.
constexpr std::int32_t kAnyOther = -1;

}  // namespace cattleya::tree
