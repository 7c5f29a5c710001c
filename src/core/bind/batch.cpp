// Registers many rows at once: a run over them, the table that reasons are counted on, and texts.
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch/answers.hpp"
#include "batch/attributes.hpp"
#include "batch/conditions.hpp"
#include "batch/run.hpp"
#include "batch/table.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "domain/domain_tree.hpp"
#include "tree/engine.hpp"

namespace cattleya::bind {
namespace {

using namespace nb::literals;
using batch::Answers;
using batch::Asked;
using batch::AttributeRows;
using batch::ConditionRows;
using batch::Question;
using batch::Run;
using batch::Table;
using domain::DomainTree;
using tree::Engine;

// Rows, and the arrays that they read.
struct HeldRows {
    nb::object arrays;
    std::unique_ptr<batch::Rows> rows;
};

std::vector<Question> questions(const Int& numbers) {
    std::vector<Question> asked;
    for (const std::int32_t number : view(numbers)) {
        if (number < 0 || number > static_cast<std::int32_t>(Question::kCount)) {
            throw std::invalid_argument("there is no question " + std::to_string(number));
        }
        asked.push_back(static_cast<Question>(number));
    }
    return asked;
}

template <class T>
void put(nb::dict& to, const char* name, batch::Lists<T>&& lists) {
    to[name] = std::make_tuple(give(std::move(lists.start)), give(std::move(lists.value)));
}

void put(nb::dict& to, const std::string& name, batch::Reasons&& reasons) {
    put(to, name.c_str(), std::move(reasons.code));
    to[(name + "_covered").c_str()] = give(std::move(reasons.covered));
    put(to, (name + "_parts").c_str(), std::move(reasons.part));
    to[(name + "_parts_end").c_str()] = give(std::move(reasons.parts_end));
}

nb::dict give_answers(Answers&& answers) {
    nb::dict to;
    std::vector<std::uint8_t> status;
    for (const batch::Status one : answers.status) status.push_back(static_cast<std::uint8_t>(one));
    to["status"] = give(std::move(status));
    to["answered"] = give(std::move(answers.answered));
    to["needs_guarded"] = give(std::move(answers.needs_guarded));
    to["row_class"] = give(std::move(answers.row_class));
    to["seconds"] = give(std::move(answers.seconds));
    put(to, std::string("sufficient"), std::move(answers.sufficient));
    put(to, std::string("minimal"), std::move(answers.minimal));
    put(to, "necessary", std::move(answers.necessary));
    put(to, "contrasts", std::move(answers.contrasts));
    to["contrasts_end"] = give(std::move(answers.contrasts_end));
    to["contrast_count"] = give(std::move(answers.contrast_count));
    to["relevant_count"] = give(std::move(answers.relevant_count));
    put(to, "count", std::move(answers.count));
    put(to, "minimal_count", std::move(answers.minimal_count));
    return to;
}

// Lists of codes as tuples of the texts of a table.
nb::list texts_of(const nb::list& table, const Long& start, const Int& code) {
    const auto starts = view(start);
    const auto codes = view(code);
    const std::size_t known = nb::len(table);
    nb::list made;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        if (starts[i] < 0 || starts[i + 1] < starts[i] ||
            starts[i + 1] > static_cast<std::int64_t>(codes.size())) {
            throw std::invalid_argument("start does not cut the codes into lists");
        }
        const auto size = static_cast<Py_ssize_t>(starts[i + 1] - starts[i]);
        nb::object texts = nb::steal(PyTuple_New(size));
        if (!texts.is_valid()) throw nb::python_error();
        for (Py_ssize_t k = 0; k < size; ++k) {
            const std::int32_t at = codes[starts[i] + k];
            if (at < 0 || static_cast<std::size_t>(at) >= known) {
                throw nb::index_error(("there is no code " + std::to_string(at)).c_str());
            }
            PyObject* const text = PyList_GetItem(table.ptr(), at);
            if (text == nullptr) throw nb::python_error();
            Py_INCREF(text);
            PyTuple_SetItem(texts.ptr(), k, text);
        }
        made.append(texts);
    }
    return made;
}

}  // namespace

void register_batch(nb::module_& m) {
    nb::class_<Table>(m, "ReachTable", "The rows of a table, that reasons are counted on.")
        .def(
            "__init__",
            [](Table* self, const Engine& engine, const Real& matrix, const Long& times) {
                nb::gil_scoped_release free;
                new (self) Table(engine, view(matrix), view(times));
            },
            "engine"_a, "matrix"_a.noconvert(), "times"_a.noconvert(), nb::keep_alive<1, 2>())
        .def(
            "__init__",
            [](Table* self, const Engine& engine, const Single& matrix, const Long& times) {
                nb::gil_scoped_release free;
                new (self) Table(engine, view(matrix), view(times));
            },
            "engine"_a, "matrix"_a.noconvert(), "times"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("of_class", &Table::of_class, "row_class"_a, "How many rows get a class.");

    nb::class_<HeldRows>(m, "BatchRows", "Many rows, in a vocabulary; any thread.")
        .def_static(
            "over_conditions",
            [](const Engine& engine, const Table* table, Real matrix, std::size_t n_rows) {
                auto rows = std::make_unique<ConditionRows>(engine, table, view(matrix), n_rows);
                return HeldRows{nb::cast(std::move(matrix)), std::move(rows)};
            },
            "engine"_a, "table"_a.none(), "matrix"_a.noconvert(), "n_rows"_a,
            nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), "A flattened matrix of rows.")
        .def_static(
            "over_attributes",
            [](const DomainTree& tree, Int cells, std::size_t n_rows, bool levels,
               Byte has_single) {
                auto rows = std::make_unique<AttributeRows>(tree, view(cells), n_rows, levels,
                                                            view(has_single));
                return HeldRows{nb::make_tuple(cells, has_single), std::move(rows)};
            },
            "tree"_a, "cells"_a.noconvert(), "n_rows"_a, "levels"_a, "has_single"_a.noconvert(),
            nb::keep_alive<0, 1>(),
            "A flattened matrix of cells; over intervals (levels) or over features.");

    nb::class_<Run>(m, "BatchRun", "Questions about many rows, on several threads.")
        .def(
            "__init__",
            [](Run* self, const HeldRows& rows, const Int& asked, std::int64_t contrasts,
               const Int& excluded, const Int& immutable, const Int& guarded, bool asks_guarded,
               double seconds, std::int64_t memory, int threads) {
                Asked all{questions(asked), contrasts,    copy(excluded), copy(immutable),
                          copy(guarded),    asks_guarded, seconds,        memory};
                nb::gil_scoped_release free;
                new (self)
                    Run(*rows.rows, std::move(all), threads, python_budget(kForever, 0).poll);
            },
            "rows"_a, "questions"_a.noconvert(), "contrasts"_a, "excluded"_a.noconvert(),
            "immutable"_a.noconvert(), "guarded"_a.noconvert(), "asks_guarded"_a, "seconds"_a,
            "memory"_a, "threads"_a, nb::keep_alive<1, 2>())
        .def(
            "next",
            [](Run& self, std::size_t rows, double seconds) {
                Answers answers;
                {
                    nb::gil_scoped_release free;
                    answers = self.next(rows, seconds);
                }
                return give_answers(std::move(answers));
            },
            "rows"_a, "seconds"_a, "The answers about the next rows, as arrays by name.");

    m.def("texts_of", &texts_of, "table"_a, "start"_a.noconvert(), "code"_a.noconvert(),
          "Lists of codes as tuples of the texts of a table.");
}

}  // namespace cattleya::bind
