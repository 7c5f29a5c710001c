// A small random tree in terms of cells, and all the arrays that the core wants of it.
//
// An attribute is a number with some levels or a coded category; the value of a cell is its number,
// and a test lies between two cells, at a half. So the row of a combination of cells is the
// combination itself, with NaN for a missing number.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace fuzz {

class Random {
   public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    // The same on every machine, unlike the standard's distributions; the bias is of no account.
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }

   private:
    std::mt19937_64 engine_;
};

struct Attribute {
    int cells;  // of a value that is there
    bool category;
};

struct Test {
    std::int32_t attribute, level;  // cells up to the level go left
    bool missing_left;
};

struct DrawnTree {
    std::vector<std::int32_t> left, right, test, leaf_class;  // by node; test -1 at leaves
    std::vector<Test> tests;
    std::vector<Attribute> attributes;
    std::vector<std::int32_t> row;  // a cell each; -1: missing
    int n_classes = 2;
    bool takes_missing = false;

    [[nodiscard]] int n_tests() const { return static_cast<int>(tests.size()); }

    [[nodiscard]] bool may_be_missing(std::size_t attribute) const {
        return takes_missing && !attributes[attribute].category;
    }

    [[nodiscard]] bool goes_left(const Test& t, std::int32_t cell) const {
        return cell < 0 ? t.missing_left : cell <= t.level;
    }

    [[nodiscard]] std::int32_t class_of(const std::vector<std::int32_t>& cells) const {
        std::int32_t at = 0;
        while (left[at] >= 0) {
            const Test& t = tests[test[at]];
            at = goes_left(t, cells[t.attribute]) ? left[at] : right[at];
        }
        return leaf_class[at];
    }

    // The class where bit i of `truth` says whether test i holds.
    [[nodiscard]] std::int32_t class_of_assignment(std::uint32_t truth) const {
        std::int32_t at = 0;
        while (left[at] >= 0) at = (truth >> test[at] & 1) != 0 ? left[at] : right[at];
        return leaf_class[at];
    }

    [[nodiscard]] std::vector<std::vector<std::int32_t>> all_rows() const {
        std::vector<std::vector<std::int32_t>> rows{{}};
        for (std::size_t a = 0; a < attributes.size(); ++a) {
            std::vector<std::vector<std::int32_t>> longer;
            for (const auto& start : rows) {
                for (int cell = may_be_missing(a) ? -1 : 0; cell < attributes[a].cells; ++cell) {
                    longer.push_back(start);
                    longer.back().push_back(cell);
                }
            }
            rows = std::move(longer);
        }
        return rows;
    }

    [[nodiscard]] static double value(std::int32_t cell) {
        return cell < 0 ? std::numeric_limits<double>::quiet_NaN() : cell;
    }
};

inline void draw_shape(Random& random, DrawnTree& tree, int n_inner) {
    tree.left = tree.right = {-1};
    std::vector<std::int32_t> leaves{0};
    const bool chain = random.chance(20);
    for (int i = 0; i < n_inner; ++i) {
        const int place = chain ? static_cast<int>(leaves.size()) - 1 -
                                      random.below(2) % static_cast<int>(leaves.size())
                                : random.below(static_cast<int>(leaves.size()));
        const std::int32_t node = leaves[place];
        leaves.erase(leaves.begin() + place);
        const auto next = static_cast<std::int32_t>(tree.left.size());
        tree.left[node] = next;
        tree.right[node] = next + 1;
        leaves.insert(leaves.end(), {next, next + 1});
        tree.left.insert(tree.left.end(), {-1, -1});
        tree.right.insert(tree.right.end(), {-1, -1});
    }
}

// The more tests must change of the row, the rarer its class: with classes drawn evenly one is
// mostly enough, and explanations are few and short.
inline void draw_classes_around_row(Random& random, DrawnTree& tree) {
    const std::array<int, 4> percent{0, 5 * random.below(3), 40, 70};
    const int own = random.below(tree.n_classes);
    std::vector<std::pair<std::int32_t, std::uint32_t>> open{{0, 0}};  // node, tests that changed
    while (!open.empty()) {
        const auto [node, changed] = open.back();
        open.pop_back();
        if (tree.left[node] < 0) {
            const int far = std::min(std::popcount(changed), 3);
            const int step = random.chance(percent[far]) ? 1 + random.below(tree.n_classes - 1) : 0;
            tree.leaf_class[node] = (own + step) % tree.n_classes;
            continue;
        }
        const Test& t = tree.tests[tree.test[node]];
        const std::uint32_t turned = changed | std::uint32_t{1} << tree.test[node];
        const bool left = tree.goes_left(t, tree.row[t.attribute]);
        open.emplace_back(tree.left[node], left ? changed : turned);
        open.emplace_back(tree.right[node], left ? turned : changed);
    }
}

inline DrawnTree draw_tree(std::uint64_t seed, int most_tests, int most_rows) {
    Random random(seed);
    DrawnTree tree;
    tree.takes_missing = random.chance(30);
    const int n_attributes = 1 + random.below(most_tests);
    int rows = 1;
    for (int a = 0; a < n_attributes; ++a) {
        Attribute attribute{2 + (random.chance(40) ? random.below(3) : 0), random.chance(25)};
        const int more = attribute.cells + (tree.takes_missing && !attribute.category);
        if (rows * more > most_rows) break;
        rows *= more;
        tree.attributes.push_back(attribute);
    }
    const int wanted = 1 + random.below(most_tests);
    std::map<std::tuple<int, int, bool>, int> known;
    for (int tries = 0; tries < 2 * wanted && static_cast<int>(known.size()) < wanted; ++tries) {
        const int a = random.below(static_cast<int>(tree.attributes.size()));
        const Attribute& attribute = tree.attributes[a];
        // Now and then one that all values, or none, are on one side of.
        const int level = random.chance(10) ? (random.chance(50) ? -1 : attribute.cells - 1)
                                            : random.below(attribute.cells - 1);
        const bool missing_left = tree.may_be_missing(a) && random.chance(50);
        if (known.emplace(std::tuple{a, level, missing_left}, tree.n_tests()).second) {
            tree.tests.push_back({a, level, missing_left});
        }
    }
    draw_shape(random, tree, random.below(random.chance(50) ? 8 : 24));
    tree.n_classes = random.chance(60) ? 2 : 2 + random.below(4);
    const int rare = 10 + 20 * random.below(3);
    for (const std::int32_t child : tree.left) {
        const bool inner = child >= 0;
        tree.test.push_back(inner ? random.below(tree.n_tests()) : -1);
        tree.leaf_class.push_back(inner                 ? -1
                                  : random.chance(rare) ? 1 + random.below(tree.n_classes - 1)
                                                        : 0);
    }
    for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
        const int first = tree.may_be_missing(a) && random.chance(30) ? -1 : 0;
        tree.row.push_back(first < 0 ? -1 : random.below(tree.attributes[a].cells));
    }
    if (random.chance(50)) draw_classes_around_row(random, tree);
    return tree;
}

}  // namespace fuzz
