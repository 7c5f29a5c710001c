#include "tree/shape.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace cattleya::tree {
namespace {

using std::to_string;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Every node has at most one parent here, so a walk towards the parents either ends at a node
// without one or comes back to where it started.
bool on_cycle(std::int32_t node, const std::vector<std::int32_t>& parent) {
    std::int32_t at = parent[node];
    for (std::size_t steps = 0; at >= 0 && steps < parent.size(); ++steps) {
        if (at == node) return true;
        at = parent[at];
    }
    return false;
}

}  // namespace

std::int32_t check_shape(std::span<const std::int32_t> left, std::span<const std::int32_t> right) {
    const auto n = static_cast<std::int32_t>(left.size());
    if (left.size() != right.size()) refuse("left and right have different lengths");
    if (n == 0) refuse("the tree has no node at all; a tree has at least one leaf");

    std::vector<std::int32_t> parent(left.size(), -1);
    for (std::int32_t node = 0; node < n; ++node) {
        if ((left[node] == -1) != (right[node] == -1)) {
            refuse("node " + to_string(node) + " has one child only (left " +
                   to_string(left[node]) + ", right " + to_string(right[node]) +
                   "); give it two children, or -1 and -1 for a leaf");
        }
        for (const std::int32_t child : {left[node], right[node]}) {
            if (child == -1) continue;
            if (child < 0 || child >= n) {
                refuse("node " + to_string(node) + " has the child " + to_string(child) +
                       ", out of range: children are -1 (none) or 0 to " + to_string(n - 1));
            }
            if (parent[child] != -1) {
                refuse("node " + to_string(child) + " has two parents, " +
                       to_string(parent[child]) + " and " + to_string(node) +
                       "; give each its own copy");
            }
            parent[child] = node;
        }
    }

    std::vector<std::int32_t> depth(left.size(), -1);
    std::vector<std::int32_t> open{0};
    std::int32_t deepest = 0;
    depth[0] = 0;
    if (on_cycle(0, parent)) refuse("node 0 is its own descendant: the tree has a cycle");
    while (!open.empty()) {
        const std::int32_t node = open.back();
        open.pop_back();
        deepest = std::max(deepest, depth[node]);
        for (const std::int32_t child : {left[node], right[node]}) {
            if (child == -1) continue;
            depth[child] = depth[node] + 1;
            open.push_back(child);
        }
    }
    for (std::int32_t node = 0; node < n; ++node) {
        if (depth[node] >= 0) continue;
        // Prefer to name a cycle where there is one: it is why its nodes are unreachable. Only
        // the first unreachable node is looked at, which keeps this linear; walking up from it
        // as far as the array is long ends on the cycle if one is above it.
        std::int32_t top = node;
        for (std::int32_t steps = 0; steps < n && parent[top] >= 0; ++steps) top = parent[top];
        if (parent[top] >= 0) {
            refuse("node " + to_string(top) + " is its own descendant: the tree has a cycle");
        }
        refuse("node " + to_string(node) + " is unreachable: no path from node 0 leads to it");
    }
    return deepest;
}

}  // namespace cattleya::tree
