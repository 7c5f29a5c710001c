// Are these arrays one binary tree after the other? If not, what exactly is wrong?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cattleya::ensemble {

// Tree t has the nodes start[t] to start[t + 1] - 1, the first of which is its root; children are
// indices into the whole arrays, -1 and -1 at leaves. Returns the depth of each tree. Throws
// std::invalid_argument that names the first tree and node that is wrong.
std::vector<std::int32_t> check_trees(std::span<const std::int32_t> start,
                                      std::span<const std::int32_t> left,
                                      std::span<const std::int32_t> right);

}  // namespace cattleya::ensemble
