#include "ensemble/shape.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cattleya::ensemble {
namespace {

using Ints = std::span<const std::int32_t>;
using std::to_string;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void check_starts(Ints start, std::size_t n_nodes) {
    if (start.empty() || start.front() != 0) refuse("tree_start must begin with 0");
    for (std::size_t t = 1; t < start.size(); ++t) {
        if (start[t] <= start[t - 1]) {
            refuse("tree " + to_string(t - 1) + " has no node: tree_start goes from " +
                   to_string(start[t - 1]) + " to " + to_string(start[t]));
        }
    }
    if (static_cast<std::size_t>(start.back()) != n_nodes) {
        refuse("tree_start ends with " + to_string(start.back()) + ", but there are " +
               to_string(n_nodes) + " nodes");
    }
}

}  // namespace

std::vector<std::int32_t> check_trees(Ints start, Ints left, Ints right) {
    if (left.size() != right.size()) refuse("left and right have different lengths");
    check_starts(start, left.size());
    std::vector<std::int32_t> depths, open;
    depths.reserve(start.size() - 1);
    std::vector<std::int32_t> depth(left.size(), -1);
    for (std::size_t t = 0; t + 1 < start.size(); ++t) {
        const std::int32_t root = start[t], end = start[t + 1];
        std::int32_t deepest = 0, reached = 0;
        depth[root] = 0;
        open.assign(1, root);
        while (!open.empty()) {
            const std::int32_t node = open.back();
            open.pop_back();
            ++reached;
            deepest = std::max(deepest, depth[node]);
            const std::int32_t below[] = {left[node], right[node]};
            if (below[0] == -1 && below[1] == -1) continue;
            for (const std::int32_t child : below) {
                if (child <= root || child >= end) {
                    refuse("node " + to_string(node) + " of tree " + to_string(t) +
                           " has the child " + to_string(child) +
                           ", out of range: children are both -1 (a leaf) or " +
                           to_string(root + 1) + " to " + to_string(end - 1));
                }
                if (depth[child] >= 0) {
                    refuse("node " + to_string(child) + " of tree " + to_string(t) +
                           " has two parents; give each its own copy");
                }
                depth[child] = depth[node] + 1;
                open.push_back(child);
            }
        }
        if (reached != end - root) {
            const auto lost = std::find(depth.begin() + root, depth.begin() + end, -1);
            refuse("node " + to_string(lost - depth.begin()) + " of tree " + to_string(t) +
                   " is unreachable: no path from the root leads to it");
        }
        depths.push_back(deepest);
    }
    return depths;
}

}  // namespace cattleya::ensemble
