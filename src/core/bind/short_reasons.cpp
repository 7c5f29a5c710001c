// Registers short reasons: facts counted on the rows of a table, or weighed.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "short_reasons/chances_search.hpp"
#include "short_reasons/exact.hpp"
#include "short_reasons/search.hpp"

namespace cattleya::bind {

using namespace nb::literals;
using short_reasons::Facts;
using short_reasons::Found;
using short_reasons::Table;
using short_reasons::Wanted;

namespace {

// Sets as arrays: where each starts, its facts, and how many rows it gets right and wrong; -1 right
// where there is none.
auto give_sets(const std::vector<std::optional<Found>>& sets) {
    std::vector<std::int64_t> start{0}, right, wrong;
    std::vector<std::int32_t> fact;
    for (const std::optional<Found>& set : sets) {
        if (set) fact.insert(fact.end(), set->facts.begin(), set->facts.end());
        start.push_back(static_cast<std::int64_t>(fact.size()));
        right.push_back(set ? set->counts.right : -1);
        wrong.push_back(set ? set->counts.wrong : -1);
    }
    return std::make_tuple(give(std::move(start)), give(std::move(fact)), give(std::move(right)),
                           give(std::move(wrong)));
}

Facts facts_of(const Int& slot, const Int& column, const Int& first, const Int& last,
               const Byte& missing) {
    return {view(slot), view(column), view(first), view(last), view(missing)};
}

Wanted checked(const Wanted& wanted) {
    if (wanted.max_size < 0 || wanted.least_rows < 1 || wanted.share_of < 0 ||
        wanted.share_in < 1 || wanted.share_of > wanted.share_in) {
        throw std::invalid_argument("the size, the rows or the share cannot be wanted");
    }
    return wanted;
}

// Sets of facts as arrays: where each starts, and its facts.
auto give_facts(const short_reasons::FactSets& sets) {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> fact;
    for (const auto& set : sets) {
        fact.insert(fact.end(), set.begin(), set.end());
        start.push_back(static_cast<std::int64_t>(fact.size()));
    }
    return std::make_tuple(give(std::move(start)), give(std::move(fact)));
}

short_reasons::ChanceWanted checked(std::int32_t max_size, double error, double covered) {
    if (max_size < 0 || !(error >= 0) || !(covered >= 0)) {
        throw std::invalid_argument("the size, the error or the coverage cannot be wanted");
    }
    return {max_size, error, covered};
}

void register_chances(nb::module_& m) {
    using short_reasons::Chances;
    nb::class_<Chances>(m, "ShortChances",
                        "Leaves with probabilities, and what facts make of them.")
        .def(
            "__init__",
            [](Chances* chances, const Int& left, const Int& right, const Byte& wrong,
               const Int& column, const Int& level, const Byte& missing_left,
               const Real& left_chance, const Real& right_chance, const Int& decided,
               const Byte& row_left, const Int& n_cells, const Long& mass, const Int& slot,
               const Int& fact_column, const Int& first, const Int& last, const Byte& missing,
               const Real& share, bool by_leaves) {
                new (chances)
                    Chances({view(left), view(right), view(wrong), view(column), view(level),
                             view(missing_left), view(left_chance), view(right_chance),
                             view(decided), view(row_left), view(n_cells), view(mass)},
                            {view(slot), view(fact_column), view(first), view(last), view(missing),
                             view(share)},
                            by_leaves);
            },
            "left"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(),
            "column"_a.noconvert(), "level"_a.noconvert(), "missing_left"_a.noconvert(),
            "left_chance"_a.noconvert(), "right_chance"_a.noconvert(), "decided"_a.noconvert(),
            "row_left"_a.noconvert(), "n_cells"_a.noconvert(), "mass"_a.noconvert(),
            "slot"_a.noconvert(), "fact_column"_a.noconvert(), "first"_a.noconvert(),
            "last"_a.noconvert(), "missing"_a.noconvert(), "share"_a.noconvert(), "by_leaves"_a)
        .def(
            "search",
            [](const Chances& chances, std::int32_t max_size, double error, double covered,
               bool every_size, bool is_ladder, double seconds, std::int64_t memory) {
                auto found = within(seconds, memory, [&](Budget& budget) {
                    return short_reasons::likely(chances, checked(max_size, error, covered),
                                                 every_size, is_ladder, budget);
                });
                return std::make_tuple(give_facts(found.best), give(std::move(found.error)),
                                       found.is_settled_at_one);
            },
            "max_size"_a, "error"_a, "covered"_a, "every_size"_a, "is_ladder"_a, "seconds"_a,
            "memory"_a,
            "The likeliest sets of each size, their errors, and whether no single fact suffices.")
        .def(
            "smaller",
            [](const Chances& chances, std::int32_t size, double error, double covered,
               double seconds, std::int64_t memory) {
                auto found = within(seconds, memory, [&](Budget& budget) {
                    return short_reasons::all_likely(chances, checked(size, error, covered),
                                                     budget);
                });
                return std::make_tuple(give_facts(found.open), found.is_cut);
            },
            "size"_a, "error"_a, "covered"_a, "seconds"_a, "memory"_a,
            "Sets of at most so many facts that suffice or may, and whether there were too many.");
}

short_reasons::ExactTree exact_tree(const Int& left, const Int& right, const Byte& wrong,
                                    const Long& weight, const Byte& is_decided,
                                    const Byte& row_left) {
    return {view(left), view(right), view(wrong), view(weight), view(is_decided), view(row_left)};
}

void register_exact(nb::module_& m) {
    m.def(
        "training_parts",
        [](const Int& left, const Int& right, const Byte& wrong, const Long& weight,
           const Byte& is_decided, const Byte& row_left, double seconds, std::int64_t memory) {
            auto found = within(seconds, memory, [&](Budget& budget) {
                return short_reasons::parts_of(
                    exact_tree(left, right, wrong, weight, is_decided, row_left), budget);
            });
            return std::make_tuple(give(std::move(found.parent)), give(std::move(found.before)),
                                   give(std::move(found.after)), give(std::move(found.wrong)),
                                   found.covered);
        },
        "left"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(), "weight"_a.noconvert(),
        "is_decided"_a.noconvert(), "row_left"_a.noconvert(), "seconds"_a, "memory"_a,
        "The parts of a tree between decided nodes: their training rows.");
    m.def(
        "wrong_mass",
        [](const Int& left, const Int& right, const Byte& wrong, const Long& weight,
           const Byte& is_decided, const Byte& row_left, const Int& column, const Int& level,
           const Byte& missing_left, const Int& n_cells, const Long& mass, const Int& first,
           const Int& last, const Byte& missing, const Long& factors, double seconds,
           std::int64_t memory) {
            auto found = within(seconds, memory, [&](Budget& budget) {
                return short_reasons::masses_of(
                    exact_tree(left, right, wrong, weight, is_decided, row_left),
                    {view(column), view(level), view(missing_left), view(n_cells), view(mass),
                     view(first), view(last), view(missing), view(factors)},
                    budget);
            });
            return std::make_tuple(give(std::move(found.wrong)), give(std::move(found.all)));
        },
        "left"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(), "weight"_a.noconvert(),
        "is_decided"_a.noconvert(), "row_left"_a.noconvert(), "column"_a.noconvert(),
        "level"_a.noconvert(), "missing_left"_a.noconvert(), "n_cells"_a.noconvert(),
        "mass"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "missing"_a.noconvert(),
        "factors"_a.noconvert(), "seconds"_a, "memory"_a,
        "The mass of wrong leaves, and that of all: 64-bit limbs, least first.");
}

}  // namespace

void register_short_reasons(nb::module_& m) {
    m.def("wilson_steps", &short_reasons::lower_bound, "right"_a, "wrong"_a,
          "The lower end of Wilson's interval at 95 %, in steps of 2^-28, rounded down.");

    nb::class_<Table>(m, "ShortTable", "Rows as codes, and how often facts are right among them.")
        .def(
            "__init__",
            [](Table* table, const Int& codes, const Int& n_cells, const Int& outcome) {
                new (table) Table(view(codes), view(n_cells), view(outcome));
            },
            "codes"_a.noconvert(), "n_cells"_a.noconvert(), "outcome"_a.noconvert())
        .def(
            "search",
            [](const Table& table, const Int& slot, const Int& column, const Int& first,
               const Int& last, const Byte& missing, std::int32_t outcome, std::int32_t max_size,
               std::int64_t least_rows, std::int64_t share_of, std::int64_t share_in,
               bool every_size, bool is_ladder, double seconds, std::int64_t memory) {
                auto found = within(seconds, memory, [&](Budget& budget) {
                    return short_reasons::search(
                        table, facts_of(slot, column, first, last, missing),
                        checked({outcome, max_size, least_rows, share_of, share_in}), every_size,
                        is_ladder, budget);
                });
                return std::make_tuple(give_sets(found.best), give_sets({found.reached}),
                                       found.at_least);
            },
            "slot"_a.noconvert(), "column"_a.noconvert(), "first"_a.noconvert(),
            "last"_a.noconvert(), "missing"_a.noconvert(), "outcome"_a, "max_size"_a,
            "least_rows"_a, "share_of"_a, "share_in"_a, "every_size"_a, "is_ladder"_a, "seconds"_a,
            "memory"_a,
            "The best set of each size, the smallest that reaches the share, and a lower bound.")
        .def(
            "smaller",
            [](const Table& table, const Int& slot, const Int& column, const Int& first,
               const Int& last, const Byte& missing, std::int32_t outcome, std::int32_t size,
               std::int64_t least_rows, std::int64_t share_of, std::int64_t share_in,
               double seconds, std::int64_t memory) {
                return give_sets({within(seconds, memory, [&](Budget& budget) {
                    return short_reasons::smaller(
                        table, facts_of(slot, column, first, last, missing),
                        checked({outcome, size, least_rows, share_of, share_in}), size, budget);
                })});
            },
            "slot"_a.noconvert(), "column"_a.noconvert(), "first"_a.noconvert(),
            "last"_a.noconvert(), "missing"_a.noconvert(), "outcome"_a, "size"_a, "least_rows"_a,
            "share_of"_a, "share_in"_a, "seconds"_a, "memory"_a,
            "A set of at most so many facts that reaches the share, if there is one.");
    register_chances(m);
    register_exact(m);
}

}  // namespace cattleya::bind
