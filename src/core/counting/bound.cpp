#include "counting/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cattleya::counting {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();  // log2 of 0

double log2_of_sum(double a, double b) {
    const double high = std::max(a, b);
    const double low = std::min(a, b);
    return low == kNone ? high : high + std::log2(1.0 + std::exp2(low - high));
}

}  // namespace

double count_bits_bound(const ClauseSet& clauses, Budget& budget, double weight_bits) {
    Vector<std::int32_t> degree(static_cast<std::size_t>(clauses.n_atoms));
    for (const std::int32_t a : clauses.atom) ++degree[static_cast<std::size_t>(a)];
    Vector<std::int32_t> atoms = clauses.atom;
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const std::int32_t p = degree[static_cast<std::size_t>(a)];
        const std::int32_t q = degree[static_cast<std::size_t>(b)];
        return p != q ? p > q : a < b;
    };
    const auto begin_of = [&](std::int64_t c) {
        return atoms.begin() + clauses.start[static_cast<std::size_t>(c)];
    };
    for (std::int64_t c = 0; c < clauses.size(); ++c) {
        std::sort(begin_of(c), begin_of(c + 1), before);
    }
    Vector<std::int64_t> order(static_cast<std::size_t>(clauses.size()));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int64_t c, std::int64_t d) {
        return std::lexicographical_compare(begin_of(c), begin_of(c + 1), begin_of(d),
                                            begin_of(d + 1), before);
    });

    // The path of the trie to the current clause: per node log2 of the product over the children
    // that are finished.
    Vector<double> product = {0.0};
    Vector<std::int32_t> path;
    const auto close_to = [&](std::size_t depth) {
        while (path.size() > depth) {
            const double child = product.back();
            product.pop_back();
            path.pop_back();
            product.back() += log2_of_sum(weight_bits, child);
        }
    };
    for (const std::int64_t c : order) {
        const auto begin = begin_of(c);
        const auto length = static_cast<std::size_t>(begin_of(c + 1) - begin);
        std::size_t common = 0;
        while (common < length && common < path.size() &&
               begin[static_cast<std::ptrdiff_t>(common)] == path[common]) {
            ++common;
        }
        close_to(common);
        for (std::size_t i = common; i < length; ++i) {
            path.push_back(begin[static_cast<std::ptrdiff_t>(i)]);
            product.push_back(0.0);
        }
        product.back() = kNone;  // a clause ends here
        budget.tick(static_cast<std::int64_t>(20 * length));
    }
    close_to(0);
    // Rounding: at most one unit in the last place a step, far below the margin.
    const double bits = product.back();
    return bits == kNone ? 1.0 : bits * (1 + 1e-9) + 1.0;
}

}  // namespace cattleya::counting
