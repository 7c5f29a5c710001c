#include "domain/domain_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "domain/box.hpp"
#include "tree/shape.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerNode = 20;  // nanoseconds, roughly
constexpr std::int32_t kWordBits = 64;

template <class T>
std::vector<T> copy(std::span<const T> values) {
    return {values.begin(), values.end()};
}

std::int32_t words_for(std::int32_t cells) { return (cells + kWordBits - 1) / kWordBits; }

bool has_bit(const std::uint64_t* words, std::int32_t bit) {
    return (words[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

// Copies what can be reached, in preorder, and turns a subtree of one class into a leaf: for every
// row, the clauses of its leaves contain the clause of its top.
class DomainTree::Builder {
   public:
    Builder(DomainTree& tree, Budget& budget) : tree_(tree), budget_(budget), box_(tree) {}

    void run() {
        tree_.node_.reserve(tree_.left_.size());
        enter(0);
        while (!open_.empty()) {
            budget_.tick(kWorkPerNode);
            Frame& top = open_.back();
            const std::int32_t source = top.source;
            const std::int32_t at = top.copy;
            const std::int32_t test = tree_.test_[source];
            switch (top.stage++) {
                case 0:
                    box_.restrict(test, true);
                    enter(tree_.left_[source]);
                    break;
                case 1:
                    box_.restore(tree_.attribute_[test]);
                    box_.restrict(test, false);
                    tree_.node_[at].right = static_cast<std::int32_t>(tree_.node_.size());
                    enter(tree_.right_[source]);
                    break;
                default:
                    box_.restore(tree_.attribute_[test]);
                    box_.forget(tree_.attribute_[test]);
                    open_.pop_back();
                    collapse(at);
            }
        }
        tree_.node_.shrink_to_fit();
        tree_.note_.shrink_to_fit();
    }

   private:
    struct Frame {
        std::int32_t source;  // node of the tree as given
        std::int32_t copy;    // node of the copy
        std::int8_t stage;    // children done
    };

    // Follows the tests that are decided from `source`, then opens the node it ends at.
    void enter(std::int32_t source) {
        Box::Sides found{};
        while (tree_.left_[source] >= 0) {
            budget_.tick(kWorkPerNode);
            found = box_.sides(tree_.test_[source], budget_);
            if (found.left && found.right) break;
            source = found.left ? tree_.left_[source] : tree_.right_[source];
        }
        const auto at = static_cast<std::int32_t>(tree_.node_.size());
        const bool leaf = tree_.left_[source] < 0;
        tree_.node_.push_back({leaf ? ~tree_.leaf_class_[source] : tree_.test_[source], -1});
        if (tree_.takes_missing_) tree_.note_.push_back(leaf ? 0 : note(source, found));
        if (leaf) return;
        box_.keep(tree_.attribute_[tree_.test_[source]]);
        open_.push_back({source, at, 0});
    }

    [[nodiscard]] std::uint8_t note(std::int32_t source, const Box::Sides& found) {
        const std::int32_t attribute = tree_.attribute_[tree_.test_[source]];
        if (tree_.is_category(attribute)) return 0;
        return static_cast<std::uint8_t>((box_.range(attribute).tested ? 0 : kFirst) |
                                         (found.present_left ? kPresentLeft : 0) |
                                         (found.present_right ? kPresentRight : 0));
    }

    void collapse(std::int32_t at) {
        const Node first = tree_.node_[at + 1];
        const Node second = tree_.node_[tree_.node_[at].right];
        if (!first.is_leaf() || !second.is_leaf() || first.test != second.test) return;
        tree_.node_.resize(at);
        tree_.node_.push_back(first);
        if (tree_.takes_missing_) tree_.note_.resize(at + 1);
    }

    DomainTree& tree_;
    Budget& budget_;
    Box box_;
    std::vector<Frame> open_;
};

DomainTree::DomainTree(const tree::TreeArrays& tree, const DomainTests& tests,
                       const DomainAttributes& attributes, std::int32_t n_classes, Budget& budget)
    : left_(copy(tree.left)),
      right_(copy(tree.right)),
      test_(copy(tree.condition)),
      leaf_class_(copy(tree.leaf_class)),
      attribute_(copy(tests.attribute)),
      level_(copy(tests.level)),
      missing_left_(copy(tests.missing_left)),
      n_levels_(copy(attributes.n_levels)),
      n_cells_(copy(attributes.n_cells)),
      level_value_(copy(attributes.level_value)),
      words_(copy(attributes.words)),
      takes_missing_(attributes.takes_missing),
      never_missing_(copy(attributes.never_missing)),
      n_classes_(n_classes) {
    tree::check_shape(left_, right_);
    require(test_.size() == left_.size() && leaf_class_.size() == left_.size(),
            "the arrays of the tree have unequal lengths");
    require(level_.size() == attribute_.size() && missing_left_.size() == attribute_.size(),
            "the arrays of the tests have unequal lengths");
    require(n_cells_.size() == n_levels_.size(), "n_levels and n_cells have unequal lengths");
    if (never_missing_.empty()) never_missing_.assign(n_levels_.size(), 0);
    require(never_missing_.size() == n_levels_.size(),
            "never_missing must have one entry per attribute, or none at all");
    std::size_t levels = 0;
    for (std::size_t a = 0; a < n_levels_.size(); ++a) {
        require(n_levels_[a] >= DomainAttributes::kCategory && n_cells_[a] >= 0,
                "an attribute has a negative number of levels or cells");
        levels += static_cast<std::size_t>(std::max(n_levels_[a], 0));
    }
    require(level_value_.size() == levels, "level_value must have one entry per level");
    for (std::size_t test = 0; test < attribute_.size(); ++test) {
        const std::int32_t attribute = attribute_[test];
        require(attribute >= 0 && static_cast<std::size_t>(attribute) < n_attributes(),
                "a test is of an attribute that is out of range");
        if (!is_category(attribute)) {
            require(level_[test] >= -1 && level_[test] <= n_levels_[attribute],
                    "a test of a number has a level that is out of range");
            continue;
        }
        require(level_[test] >= 0 &&
                    static_cast<std::size_t>(level_[test]) + words_for(n_cells_[attribute]) <=
                        words_.size(),
                "a test of a category has a set that is out of range");
    }
    for (std::size_t node = 0; node < left_.size(); ++node) {
        const bool leaf = left_[node] < 0;
        const std::int32_t value = leaf ? leaf_class_[node] : test_[node];
        const auto bound = leaf ? n_classes : static_cast<std::int32_t>(attribute_.size());
        require(value >= 0 && value < bound, "a node has a test or class that is out of range");
    }
    find_telling();
    Builder(*this, budget).run();

    std::vector<std::int32_t> place(n_attributes(), -1);
    for (const Node& node : node_) {
        if (node.is_leaf() || place[attribute_[node.test]] >= 0) continue;
        place[attribute_[node.test]] = static_cast<std::int32_t>(tested_.size());
        tested_.push_back(attribute_[node.test]);
    }
    place_.reserve(attribute_.size());
    for (const std::int32_t attribute : attribute_) place_.push_back(place[attribute]);
}

void DomainTree::find_telling() {
    tells_.resize(attribute_.size());
    for (std::size_t test = 0; test < attribute_.size(); ++test) {
        const std::int32_t attribute = attribute_[test];
        bool left = false, right = false;
        if (is_category(attribute)) {
            for (std::int32_t cell = 0; cell < n_cells_[attribute] && !(left && right); ++cell) {
                (has_bit(words_.data() + level_[test], cell) ? left : right) = true;
            }
        } else {
            left = level_[test] >= 0 || (takes_missing_ && missing_left_[test] != 0);
            right =
                level_[test] < n_levels_[attribute] || (takes_missing_ && missing_left_[test] == 0);
        }
        tells_[test] = left && right ? 1 : 0;
    }
}

std::vector<std::int32_t> DomainTree::cells(std::span<const double> values) const {
    require(values.size() == n_attributes(), "values must have one entry per attribute");
    std::vector<std::int32_t> result(values.size(), 0);
    auto first = level_value_.begin();
    for (std::size_t a = 0; a < values.size(); ++a) {
        if (n_levels_[a] == DomainAttributes::kCategory) continue;
        const auto end = first + n_levels_[a];
        result[a] =
            std::isnan(values[a])
                ? kMissing
                : static_cast<std::int32_t>(std::lower_bound(first, end, values[a]) - first);
        first = end;
    }
    return result;
}

void DomainTree::check_cells(std::span<const std::int32_t> cells) const {
    require(cells.size() == n_attributes(), "cells must have one entry per attribute");
    for (std::size_t a = 0; a < cells.size(); ++a) {
        const auto attribute = static_cast<std::int32_t>(a);
        const bool known = is_category(attribute) ? cells[a] >= 0 && cells[a] < n_cells_[a]
                                                  : (cells[a] >= 0 && cells[a] <= n_levels_[a]) ||
                                                        (cells[a] == kMissing && takes_missing_ &&
                                                         never_missing_[a] == 0);
        require(known, "a cell is out of range");
    }
}

bool DomainTree::goes_left(std::int32_t test, std::int32_t cell) const {
    if (is_category(attribute_[test])) return has_bit(words_.data() + level_[test], cell);
    return cell == kMissing ? missing_left_[test] != 0 : cell <= level_[test];
}

std::vector<std::uint8_t> DomainTree::sides(std::span<const std::int32_t> cells) const {
    check_cells(cells);
    std::vector<std::uint8_t> left(attribute_.size());
    for (std::size_t test = 0; test < left.size(); ++test) {
        left[test] = goes_left(static_cast<std::int32_t>(test), cells[attribute_[test]]) ? 1 : 0;
    }
    return left;
}

void DomainTree::check(std::int32_t row_class, std::int32_t toward) const {
    require(row_class >= 0 && row_class < n_classes_, "row_class is out of range");
    require(toward == tree::kAnyOther || (toward >= 0 && toward < n_classes_),
            "toward is out of range");
}

tree::Path DomainTree::path(std::span<const std::int32_t> cells) const {
    check_cells(cells);
    tree::Path path{};
    std::int32_t node = 0;
    while (left_[node] >= 0) {
        const std::int32_t test = test_[node];
        path.conditions.push_back(test);
        node = goes_left(test, cells[attribute_[test]]) ? left_[node] : right_[node];
    }
    path.leaf_class = leaf_class_[node];
    return path;
}

std::vector<std::int32_t> DomainTree::interval_path(
    std::span<const std::int32_t> tests, std::span<const std::int32_t> cells,
    std::span<const std::int32_t> first_atom) const {
    require(cells.size() == n_attributes() && first_atom.size() == n_attributes(),
            "cells and first_atom must have one entry per attribute");
    enum Kind : std::uint8_t { kSingle, kUpper, kLower };
    struct Tightest {
        std::int32_t attribute, atom;
        Kind kind;
    };
    std::vector<Tightest> found;
    for (const std::int32_t test : tests) {
        require(test >= 0 && static_cast<std::size_t>(test) < attribute_.size(),
                "a test is out of range");
        if (!tells(test)) continue;
        const std::int32_t attribute = attribute_[test];
        const std::int32_t cell = cells[attribute];
        const std::int32_t level = level_[test];
        Tightest own{attribute, first_atom[attribute], kSingle};
        if (!is_category(attribute) && cell != kMissing && level >= 0 &&
            level < n_levels_[attribute]) {
            own.kind = cell <= level ? kUpper : kLower;
            own.atom += (takes_missing_ ? 1 : 0) + level;
        }
        const auto before = std::find_if(found.begin(), found.end(), [&](const Tightest& one) {
            return one.attribute == own.attribute && one.kind == own.kind;
        });
        if (before != found.end()) {
            const bool is_tighter = own.kind == kUpper   ? own.atom < before->atom
                                    : own.kind == kLower ? own.atom > before->atom
                                                         : false;
            if (!is_tighter) continue;
            found.erase(before);
        }
        found.push_back(own);
    }
    std::vector<std::int32_t> atoms;
    for (const Tightest& one : found) {
        const bool is_implied =
            one.kind == kSingle && std::ranges::any_of(found, [&](const Tightest& other) {
                return other.attribute == one.attribute && other.kind != kSingle;
            });
        if (!is_implied) atoms.push_back(one.atom);
    }
    return atoms;
}

}  // namespace cattleya::domain
