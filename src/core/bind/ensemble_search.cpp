// Registers the searches about ensembles of trees.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "ensemble_search/facts.hpp"
#include "ensemble_search/forest.hpp"
#include "ensemble_search/row.hpp"

namespace cattleya::bind {

using namespace nb::literals;
using namespace ensemble_search;

namespace {

// The questions about one row remember what was found: one thread at a time.
struct EnsembleRow {
    EnsembleRow(const Forest& forest, const Int& cells, Int first_fact, Bool has_single)
        : questions(forest, view(cells)),
          first(std::move(first_fact)),
          single(std::move(has_single)) {
        const auto count = static_cast<std::size_t>(forest.attributes().size());
        if (first.is_valid() != single.is_valid() ||
            (first.is_valid() && (first.shape(0) != count || single.shape(0) != count))) {
            throw std::invalid_argument("there must be a first fact and a mark per attribute");
        }
    }

    RowQuestions questions;
    std::mutex busy;
    Int first;  // as in Facts
    Bool single;

    [[nodiscard]] Facts facts() const {
        return first.is_valid() ? Facts{view(first), view(single)} : Facts{};
    }
    [[nodiscard]] Facts::Leaving leaving(const Box& box,
                                         std::span<const std::uint8_t> marks) const {
        return facts().leaving(questions.forest().attributes(), questions.cells(), box, marks);
    }

    template <class Work>
    auto ask(double seconds, std::int64_t memory, Work work) {
        return within(seconds, memory, [&](Budget& budget) {
            const std::lock_guard<std::mutex> alone(busy);
            return work(budget);
        });
    }
};

Box read_box(const Forest& forest, const Int& low, const Int& high, const Byte& missing,
             const Word& words) {
    Box box{counted(low), counted(high), counted(missing), counted(words)};
    forest.attributes().check_box(box);
    return box;
}

auto give_reason(Reason&& reason) {
    return std::make_tuple(reason.forces, give(std::move(reason.box.low)),
                           give(std::move(reason.box.high)), give(std::move(reason.box.missing)),
                           give(std::move(reason.box.words)), give(std::move(reason.open)));
}

void check_marks(const RowQuestions& row, const Byte& marks) {
    if (marks.shape(0) != static_cast<std::size_t>(row.forest().attributes().size())) {
        throw std::invalid_argument("there must be one mark per attribute");
    }
}

void check_costs(const RowQuestions& row, const Box& box, const Nearest& costs) {
    const Attributes& attributes = row.forest().attributes();
    if (costs.first.size() != static_cast<std::size_t>(attributes.size()) + 1 ||
        costs.changes.size() != costs.total.size() ||
        costs.first.back() != static_cast<std::int64_t>(costs.changes.size())) {
        throw std::invalid_argument("there must be one cost per cell");
    }
    for (std::int32_t a = 0; a < attributes.size(); ++a) {
        if (costs.first[a + 1] - costs.first[a] != attributes.n_cells(a) + 1) {
            throw std::invalid_argument("there must be one cost per cell, and one for missing");
        }
    }
    if (!attributes.contains(box, row.cells())) {
        throw std::invalid_argument("the row must be in the box");
    }
    if (costs.blocked_start.empty() || costs.blocked_start.front() != 0 ||
        !std::ranges::is_sorted(costs.blocked_start) ||
        costs.blocked_start.back() != static_cast<std::int64_t>(costs.blocked.size())) {
        throw std::invalid_argument("the blocked changes do not fit");
    }
    for (const Change& change : costs.blocked) {
        if (change.attribute < 0 || change.attribute >= attributes.size() ||
            change.kind > Change::kMissing) {
            throw std::invalid_argument("a blocked change is none");
        }
    }
}

}  // namespace

void register_ensemble_search(nb::module_& m) {
    nb::class_<Forest>(m, "EnsembleCells", "An ensemble over cells; any thread.")
        .def(
            "__init__",
            [](Forest* self, const Int& n_levels, const Int& n_cells, const Byte& may_be_missing,
               const Int& tree_start, const Int& left, const Int& right, const Int& test,
               const Int& output, const Real& value, const Int& attribute, const Int& level,
               const Byte& missing_left, const Word& words, const Real& base, bool single_precision,
               double divisor, double factor, const Real& offset, const Real& cut,
               const Real& doubt, bool in_order, const char* link, double link_scale) {
                new (self) Forest({view(n_levels), view(n_cells), view(may_be_missing)},
                                  {view(tree_start), view(left), view(right), view(test),
                                   view(output), view(value)},
                                  {view(attribute), view(level), view(missing_left), view(words)},
                                  {view(base), single_precision, divisor, factor, view(offset),
                                   view(cut), view(doubt), in_order, link, link_scale});
            },
            "n_levels"_a.noconvert(), "n_cells"_a.noconvert(), "may_be_missing"_a.noconvert(),
            "tree_start"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
            "test"_a.noconvert(), "output"_a.noconvert(), "value"_a.noconvert(),
            "attribute"_a.noconvert(), "level"_a.noconvert(), "missing_left"_a.noconvert(),
            "words"_a.noconvert(), "base"_a.noconvert(), "single_precision"_a, "divisor"_a,
            "factor"_a, "offset"_a.noconvert(), "cut"_a.noconvert(), "doubt"_a.noconvert(),
            "in_order"_a, "link"_a, "link_scale"_a)
        .def_prop_ro("n_outcomes", &Forest::n_outcomes, "How many outcomes there are.")
        .def(
            "decide",
            [](const Forest& self, const Int& cells) {
                self.attributes().check_row(view(cells));
                return self.decide_in_order(view(cells));
            },
            "cells"_a.noconvert(), "The outcome of a row.")
        .def(
            "is_sure",
            [](const Forest& self, const Int& cells) {
                self.attributes().check_row(view(cells));
                return self.decide(view(cells)) != kUnsure;
            },
            "cells"_a.noconvert(), "Whether a row has this outcome in whatever order is added.")
        .def(
            "path",
            [](const Forest& self, const Int& cells) {
                self.attributes().check_row(view(cells));
                return give(self.path(view(cells)));
            },
            "cells"_a.noconvert(), "The tests on the ways of a row, each once.");

    nb::class_<EnsembleRow>(m, "EnsembleRow", "Questions about one row; any thread.")
        .def(nb::init<const Forest&, const Int&, Int, Bool>(), "ensemble"_a, "cells"_a.noconvert(),
             "first_fact"_a.noconvert().none() = nb::none(),
             "has_single"_a.noconvert().none() = nb::none(), nb::keep_alive<1, 2>())
        .def_prop_ro("outcome", [](const EnsembleRow& self) { return self.questions.outcome(); })
        .def_prop_ro("is_sure", [](const EnsembleRow& self) { return self.questions.is_sure(); })
        .def(
            "facts",
            [](const EnsembleRow& self, const Int& low, const Int& high, const Byte& missing,
               const Word& words, const Byte& marks) {
                const Box box = read_box(self.questions.forest(), low, high, missing, words);
                if (marks.is_valid()) check_marks(self.questions, marks);
                auto found = self.leaving(
                    box, marks.is_valid() ? view(marks) : std::span<const std::uint8_t>{});
                return std::make_tuple(give(std::move(found.all)), give(std::move(found.open)));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "words"_a.noconvert(), "marks"_a.noconvert().none() = nb::none(),
            "The fewest facts that leave a box, and those of them that are marked.")
        .def(
            "path_facts",
            [](const EnsembleRow& self) {
                return give(std::move(self.leaving(self.questions.path_box(), {}).all));
            },
            "The facts that the tests on the ways through all trees leave.")
        .def(
            "other_outcome",
            [](EnsembleRow& self, const Int& low, const Int& high, const Byte& missing,
               const Word& words, double seconds, std::int64_t memory) {
                auto found = self.ask(seconds, memory, [&](Budget& budget) {
                    const Box box = read_box(self.questions.forest(), low, high, missing, words);
                    return self.questions.other_outcome_in_time(box, budget);
                });
                return std::make_tuple(static_cast<int>(found.answer),
                                       give(std::move(found.cells)));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "words"_a.noconvert(), "seconds"_a, "memory"_a,
            "Whether a row of a box has another outcome: (0 no, 1 yes, 2 open; that row).")
        .def(
            "quick_reason",
            [](EnsembleRow& self, const Byte& freed, double seconds, std::int64_t memory) {
                check_marks(self.questions, freed);
                std::optional<Out<std::int32_t>> found;
                const Reason reason = self.ask(seconds, memory, [&](Budget& budget) {
                    return self.questions.quick_reason(view(freed), self.facts().sides(), budget);
                });
                if (reason.forces) found = give(std::move(self.leaving(reason.box, {}).all));
                return found;
            },
            "freed"_a.noconvert(), "seconds"_a, "memory"_a,
            "The facts that the quick bound needs; None where it fails.")
        .def(
            "sufficient_reason",
            [](EnsembleRow& self, const Byte& freed, bool sides, double seconds,
               std::int64_t memory) {
                check_marks(self.questions, freed);
                return give_reason(self.ask(seconds, memory, [&](Budget& budget) {
                    return self.questions.sufficient_reason(view(freed), sides, budget);
                }));
            },
            "freed"_a.noconvert(), "sides"_a, "seconds"_a, "memory"_a,
            "The same by search; `open` marks what time did not suffice for.")
        .def(
            "smaller",
            [](EnsembleRow& self, const Int& low, const Int& high, const Byte& missing,
               const Word& words, const Int& order, bool sides, double seconds,
               std::int64_t memory) {
                return give_reason(self.ask(seconds, memory, [&](Budget& budget) {
                    const Forest& forest = self.questions.forest();
                    Box box = read_box(forest, low, high, missing, words);
                    for (const std::int32_t a : view(order)) {
                        if (a < 0 || a >= forest.attributes().size()) {
                            throw std::invalid_argument("the order has an attribute that is none");
                        }
                    }
                    return self.questions.smaller({true, std::move(box), {}}, view(order), sides,
                                                  budget);
                }));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "words"_a.noconvert(), "order"_a.noconvert(), "sides"_a, "seconds"_a, "memory"_a,
            "The same from a box of one outcome; attributes in front are freed first.")
        .def(
            "wider",
            [](EnsembleRow& self, const Int& low, const Int& high, const Byte& missing,
               const Word& words, std::int64_t most_parts, double seconds, std::int64_t memory) {
                return give_reason(self.ask(seconds, memory, [&](Budget& budget) {
                    Box box = read_box(self.questions.forest(), low, high, missing, words);
                    Vector<std::uint8_t> open(box.low.size(), 0);
                    return self.questions.wider({true, std::move(box), std::move(open)}, most_parts,
                                                budget);
                }));
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "words"_a.noconvert(), "most_parts"_a, "seconds"_a, "memory"_a,
            "A box of one outcome as wide as can be proved within so many parts a question.")
        .def(
            "nearer",
            [](EnsembleRow& self, const Int& cells, bool sides, std::int64_t most_parts,
               double seconds, std::int64_t memory) {
                self.questions.forest().attributes().check_row(view(cells));
                return give(self.ask(seconds, memory, [&](Budget& budget) {
                    return self.questions.nearer(counted(cells), sides, most_parts, budget);
                }));
            },
            "cells"_a.noconvert(), "sides"_a, "most_parts"_a, "seconds"_a, "memory"_a,
            "A row of another outcome that changes a subset of the facts that another one does.")
        .def(
            "nearest",
            [](EnsembleRow& self, const Int& low, const Int& high, const Byte& missing,
               const Word& words, const Long& first, const Real& changes, const Real& total,
               const Long& blocked_start, const Int& blocked, std::int32_t toward, double seconds,
               std::int64_t memory) {
                auto found = self.ask(seconds, memory, [&](Budget& budget) {
                    const Box box = read_box(self.questions.forest(), low, high, missing, words);
                    Vector<Change> changed;
                    const auto given = view(blocked);
                    for (std::size_t i = 0; i + 2 < given.size(); i += 3) {
                        changed.push_back(
                            {given[i], static_cast<Change::Kind>(given[i + 1]), given[i + 2]});
                    }
                    const Nearest costs{view(first), view(changes), view(total),
                                        view(blocked_start), changed};
                    check_costs(self.questions, box, costs);
                    return self.questions.nearest(box, costs, toward, budget);
                });
                return std::make_tuple(static_cast<int>(found.answer), give(std::move(found.cells)),
                                       found.cost.changes, found.cost.total);
            },
            "low"_a.noconvert(), "high"_a.noconvert(), "missing"_a.noconvert(),
            "words"_a.noconvert(), "first"_a.noconvert(), "changes"_a.noconvert(),
            "total"_a.noconvert(), "blocked_start"_a.noconvert(), "blocked"_a.noconvert(),
            "toward"_a, "seconds"_a, "memory"_a,
            "The cheapest row of another outcome: (0 none, 1 found, 2 open; that row; its cost). "
            "Blocked changes come as (attribute, kind, cell).");
}

}  // namespace cattleya::bind
