#include "short_reasons/exact.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace cattleya::short_reasons {

namespace {

__extension__ using Wide = unsigned __int128;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check(const ExactTree& tree) {
    const std::size_t n = tree.left.size();
    require(n > 0 && tree.right.size() == n && tree.wrong.size() == n &&
                tree.weight.size() == 2 * n && tree.is_decided.size() == n &&
                tree.row_left.size() == n,
            "the arrays of nodes differ in length");
}

std::int32_t child(const ExactTree& tree, std::int32_t node, bool is_left, std::size_t& visited) {
    const std::int32_t found = is_left ? tree.left[node] : tree.right[node];
    require(found >= 0 && static_cast<std::size_t>(found) < tree.left.size() &&
                ++visited <= tree.left.size(),
            "a child is no node");
    return found;
}

void times(Natural& number, std::uint64_t factor) {
    std::uint64_t carry = 0;
    for (std::uint64_t& limb : number) {
        const Wide next = Wide{limb} * factor + carry;
        limb = static_cast<std::uint64_t>(next);
        carry = static_cast<std::uint64_t>(next >> 64);
    }
    if (carry != 0) number.push_back(carry);
    trim(number);
}

void divide(Natural& number, std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t i = number.size(); i-- > 0;) {
        const Wide next = (Wide{rest} << 64) | number[i];
        number[i] = static_cast<std::uint64_t>(next / divisor);
        rest = static_cast<std::uint64_t>(next % divisor);
    }
    if (rest != 0) throw std::logic_error("the weights of nodes do not divide");
    trim(number);
}

struct Cells {
    std::int32_t first, last;
    bool missing;
};

class Columns {
   public:
    Columns(const ExactTree& tree, const ExactColumns& given) : given_(given) {
        const std::size_t n = tree.left.size(), width = given.n_cells.size();
        require(given.column.size() == n && given.level.size() == n &&
                    given.missing_left.size() == n && given.first.size() == width &&
                    given.last.size() == width && given.missing.size() == width,
                "the arrays of columns differ in length");
        std::size_t place = 0;
        for (std::size_t column = 0; column < width; ++column) {
            const std::int32_t cells = given.n_cells[column];
            require(cells >= 1 && place + static_cast<std::size_t>(cells) < given.mass.size() &&
                        given.first[column] >= 0 && given.last[column] < cells,
                    "a column needs a cell");
            start_.push_back(sum_.size());
            std::uint64_t before = 0;
            sum_.push_back(0);
            for (std::int32_t cell = 0; cell <= cells; ++cell) {
                const std::int64_t own = given.mass[place++];
                require(own >= 0 && own <= (std::int64_t{1} << 40), "a mass is out of range");
                sum_.push_back(before += static_cast<std::uint64_t>(own));
            }
            allowed.push_back(
                {given.first[column], given.last[column], given.missing[column] != 0});
        }
        require(place == given.mass.size(), "there are more masses than cells");
    }

    [[nodiscard]] std::uint64_t mass(std::int32_t column, const Cells& cells) const {
        const std::uint64_t* const sum = &sum_[start_[column]];
        std::uint64_t found = 0;
        if (cells.first <= cells.last) found = sum[cells.last + 1] - sum[cells.first];
        const std::int32_t n = given_.n_cells[column];
        return cells.missing ? found + sum[n + 1] - sum[n] : found;
    }

    // What is allowed now, and on one side of a node.
    [[nodiscard]] Cells side(std::int32_t node, bool is_left) const {
        const std::int32_t column = given_.column[node];
        require(column < static_cast<std::int32_t>(start_.size()), "a node has no column");
        Cells cells = allowed[column];
        const std::int32_t level = std::clamp(given_.level[node], -1, given_.n_cells[column] - 1);
        if (is_left) {
            cells.last = std::min(cells.last, level);
        } else {
            cells.first = std::max(cells.first, level + 1);
        }
        cells.missing = cells.missing && (given_.missing_left[node] != 0) == is_left;
        return cells;
    }

    std::vector<Cells> allowed;  // of each column

   private:
    const ExactColumns& given_;
    std::vector<std::uint64_t> sum_;  // prefix sums of masses, column after column
    std::vector<std::size_t> start_;
};

}  // namespace

Parts parts_of(const ExactTree& tree, Budget& budget) {
    check(tree);
    budget.tick(static_cast<std::int64_t>(tree.left.size()) * 4);
    struct Visit {
        std::int32_t node, part;
        std::int64_t rows;
    };
    Parts parts{{-1}, {1}, {1}, {0}};
    std::vector<Visit> open{{0, 0, tree.weight[0] + tree.weight[1]}};
    std::size_t visited = 0;
    while (!open.empty()) {
        const auto [node, part, rows] = open.back();
        open.pop_back();
        if (tree.left[node] < 0) {
            parts.covered += rows;
            if (tree.wrong[node] != 0) parts.wrong[part] += rows;
            continue;
        }
        const std::int64_t to_left = tree.weight[2 * static_cast<std::size_t>(node)];
        const std::int64_t to_right = tree.weight[2 * static_cast<std::size_t>(node) + 1];
        require(to_left >= 0 && to_right >= 0, "a weight is less than none");
        if (tree.is_decided[node] != 0) {
            const bool is_left = tree.row_left[node] != 0;
            const std::int64_t own = is_left ? to_left : to_right;
            const auto made = static_cast<std::int32_t>(parts.parent.size());
            parts.parent.push_back(part);
            parts.before.push_back(rows);
            parts.after.push_back(own);
            parts.wrong.push_back(0);
            open.push_back({child(tree, node, is_left, visited), made, own});
            continue;
        }
        open.push_back({child(tree, node, false, visited), part, to_right});
        open.push_back({child(tree, node, true, visited), part, to_left});
    }
    return parts;
}

Masses masses_of(const ExactTree& tree, const ExactColumns& columns, Budget& budget) {
    check(tree);
    Columns cells(tree, columns);
    struct Visit {
        std::int32_t node;
        std::int32_t column;  // that the edge here tests; -1: none
        std::size_t depth;    // how many edges with a column are above
        Cells part;
        Natural mass;
    };
    struct Undo {
        std::int32_t column;
        Cells before;
    };
    Masses found{{}, {1}};
    for (std::size_t column = 0; column < columns.n_cells.size(); ++column) {
        const auto place = static_cast<std::int32_t>(column);
        times(found.all, cells.mass(place, cells.allowed[column]));
    }
    for (const std::int64_t factor : columns.factors) {
        require(factor > 0, "a factor is none");
        times(found.all, static_cast<std::uint64_t>(factor));
    }
    std::vector<Undo> path;
    std::vector<Visit> open;
    open.push_back({0, -1, 0, {}, found.all});
    std::size_t visited = 0;
    while (!open.empty()) {
        Visit at = std::move(open.back());
        open.pop_back();
        budget.tick(20 * static_cast<std::int64_t>(at.mass.size() + 1));
        for (; path.size() > at.depth; path.pop_back()) {
            cells.allowed[path.back().column] = path.back().before;
        }
        if (at.column >= 0) {
            path.push_back({at.column, cells.allowed[at.column]});
            cells.allowed[at.column] = at.part;
        }
        const std::int32_t node = at.node, column = columns.column[node];
        if (tree.left[node] < 0) {
            if (tree.wrong[node] != 0) found.wrong = add(found.wrong, at.mass);
            continue;
        }
        if (column < 0 && tree.is_decided[node] != 0) {
            const std::int32_t next = child(tree, node, tree.row_left[node] != 0, visited);
            open.push_back({next, -1, path.size(), {}, std::move(at.mass)});
            continue;
        }
        std::uint64_t own[2];  // right, left
        Cells part[2]{};
        for (const bool is_left : {false, true}) {
            if (column < 0) {
                const auto place = 2 * static_cast<std::size_t>(node) + (is_left ? 0 : 1);
                require(tree.weight[place] >= 0, "a weight is less than none");
                own[is_left] = static_cast<std::uint64_t>(tree.weight[place]);
            } else {
                part[is_left] = cells.side(node, is_left);
                own[is_left] = cells.mass(column, part[is_left]);
            }
        }
        if (own[0] + own[1] == 0) continue;  // nothing comes here
        divide(at.mass, own[0] + own[1]);
        for (const bool is_left : {false, true}) {
            const std::int32_t next = child(tree, node, is_left, visited);
            if (own[is_left] == 0) continue;
            Natural mass = at.mass;
            times(mass, own[is_left]);
            open.push_back({next, column, path.size(), part[is_left], std::move(mass)});
        }
    }
    return found;
}

}  // namespace cattleya::short_reasons
