// Registers short reasons: facts counted on the rows of a table.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
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
}

}  // namespace cattleya::bind
