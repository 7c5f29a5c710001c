// Is this pair of arrays a binary tree with node 0 as its root? If not, what exactly is wrong?
#pragma once

#include <cstdint>
#include <span>

namespace cattleya::tree {

// Returns the depth of the tree (0 for a single leaf). Throws std::invalid_argument that names
// the first offending node: a child out of range, one child only, two parents, a cycle, or a
// node that no path from the root reaches.
std::int32_t check_shape(std::span<const std::int32_t> left, std::span<const std::int32_t> right);

}  // namespace cattleya::tree
