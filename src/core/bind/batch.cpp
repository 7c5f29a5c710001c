// Registers many rows at once: a run over them, the table that reasons are counted on, and texts.
#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include "batch/answers.hpp"
#include "batch/run.hpp"
#include "batch/table.hpp"
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "tree/engine.hpp"

namespace cattleya::bind {
namespace {

using namespace nb::literals;
using batch::Answers;
using batch::Asked;
using batch::Question;
using batch::Run;
using batch::Table;
using tree::Engine;

// A run, and what it reads.
struct HeldRun {
    Real matrix;
    std::unique_ptr<Run> run;
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

nb::dict give_answers(Answers&& answers) {
    nb::dict to;
    std::vector<std::uint8_t> status;
    for (const batch::Status one : answers.status) status.push_back(static_cast<std::uint8_t>(one));
    to["status"] = give(std::move(status));
    to["answered"] = give(std::move(answers.answered));
    to["needs_guarded"] = give(std::move(answers.needs_guarded));
    to["row_class"] = give(std::move(answers.row_class));
    to["seconds"] = give(std::move(answers.seconds));
    put(to, "sufficient", std::move(answers.sufficient));
    put(to, "minimal", std::move(answers.minimal));
    put(to, "necessary", std::move(answers.necessary));
    to["sufficient_covered"] = give(std::move(answers.sufficient_covered));
    to["minimal_covered"] = give(std::move(answers.minimal_covered));
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
        .def("of_class", &Table::of_class, "row_class"_a, "How many rows get a class.");

    nb::class_<HeldRun>(m, "BatchRun", "Many rows, on several threads.")
        .def(
            "__init__",
            [](HeldRun* self, const Engine& engine, const Table* table, Real matrix,
               std::size_t n_rows, const Int& asked, std::int64_t contrasts, const Int& excluded,
               const Int& immutable, const Int& guarded, bool asks_guarded, double seconds,
               std::int64_t memory, int threads) {
                Asked all{questions(asked), contrasts,    copy(excluded), copy(immutable),
                          copy(guarded),    asks_guarded, seconds,        memory};
                const std::span<const double> numbers = view(matrix);
                nb::gil_scoped_release free;
                auto run = std::make_unique<Run>(engine, table, numbers, n_rows, std::move(all),
                                                 threads, python_budget(kForever, 0).poll);
                new (self) HeldRun{std::move(matrix), std::move(run)};
            },
            "engine"_a, "table"_a.none(), "matrix"_a.noconvert(), "n_rows"_a,
            "questions"_a.noconvert(), "contrasts"_a, "excluded"_a.noconvert(),
            "immutable"_a.noconvert(), "guarded"_a.noconvert(), "asks_guarded"_a, "seconds"_a,
            "memory"_a, "threads"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "next",
            [](HeldRun& self, std::size_t rows, double seconds) {
                Answers answers;
                {
                    nb::gil_scoped_release free;
                    answers = self.run->next(rows, seconds);
                }
                return give_answers(std::move(answers));
            },
            "rows"_a, "seconds"_a, "The answers about the next rows, as arrays by name.");

    m.def("texts_of", &texts_of, "table"_a, "start"_a.noconvert(), "code"_a.noconvert(),
          "Lists of codes as tuples of the texts of a table.");
}

}  // namespace cattleya::bind
