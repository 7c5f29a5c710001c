#include "counting/component.hpp"

#include <numeric>
#include <stdexcept>

#include "support/clauses.hpp"

namespace cattleya::counting {
namespace {

std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

// Disjoint sets with path halving.
struct Partition {
    Vector<std::int32_t> parent;
    explicit Partition(std::int32_t n) : parent(as_size(n)) {
        std::iota(parent.begin(), parent.end(), 0);
    }
    std::int32_t find(std::int32_t a) {
        while (parent[as_size(a)] != a) {
            parent[as_size(a)] = parent[as_size(parent[as_size(a)])];
            a = parent[as_size(a)];
        }
        return a;
    }
    void join(std::int32_t a, std::int32_t b) { parent[as_size(find(a))] = find(b); }
};

}  // namespace

void check(const ClauseSet& clauses) {
    if (clauses.n_atoms < 0) throw std::invalid_argument("n_atoms is negative");
    ClauseView{clauses.start, clauses.atom}.check(as_size(clauses.n_atoms));
}

std::optional<Vector<Component>> split_into_components(const ClauseSet& clauses, Budget& budget,
                                                       const Vector<bool>& included,
                                                       const Vector<ClauseKind>& kind) {
    const std::size_t n = as_size(clauses.n_atoms);
    const auto is_included = [&](std::int32_t a) {
        return !included.empty() && included[as_size(a)];
    };
    Vector<bool> occurs(n);
    Partition partition(clauses.n_atoms);
    Vector<std::int32_t> representative(as_size(clauses.size()), -1);
    for (std::int64_t c = 0; c < clauses.size(); ++c) {
        std::int32_t& first = representative[as_size(c)];
        for (std::int64_t i = clauses.start[as_size(c)]; i < clauses.start[as_size(c + 1)]; ++i) {
            const std::int32_t a = clauses.atom[as_size(i)];
            occurs[as_size(a)] = true;
            if (first < 0) first = a;
            partition.join(a, first);
            budget.tick(20);
        }
        if (first < 0) return std::nullopt;
    }
    Vector<std::int32_t> component_of(n, -1), number(n);
    Vector<Component> result;
    for (std::int32_t a = 0; a < clauses.n_atoms; ++a) {
        if (!occurs[as_size(a)]) {
            if (is_included(a)) return std::nullopt;
            continue;
        }
        std::int32_t& index = component_of[as_size(partition.find(a))];
        if (index < 0) {
            index = static_cast<std::int32_t>(result.size());
            result.emplace_back();
        }
        Component& component = result[as_size(index)];
        number[as_size(a)] = component.clauses.n_atoms++;
        component.atoms.push_back(a);
        component.included.push_back(is_included(a));
    }
    for (std::int64_t c = 0; c < clauses.size(); ++c) {
        const std::int32_t root = partition.find(representative[as_size(c)]);
        Component& component = result[as_size(component_of[as_size(root)])];
        for (std::int64_t i = clauses.start[as_size(c)]; i < clauses.start[as_size(c + 1)]; ++i) {
            const std::int32_t a = clauses.atom[as_size(i)];
            component.clauses.atom.push_back(number[as_size(a)]);
        }
        component.clauses.start.push_back(static_cast<std::int64_t>(component.clauses.atom.size()));
        if (!kind.empty()) component.kind.push_back(kind[as_size(c)]);
    }
    return result;
}

}  // namespace cattleya::counting
