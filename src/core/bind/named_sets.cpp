// Sets of atoms as Python sees them: the conditions of all reasons of a row come from one shared
// table, and are looked up when a reason is read.
//
// `NamedSet` is the base class of a reason. It is written against Python's own interface, because
// a row may have half a million reasons and a search gives a million a second: an object of
// nanobind, or a method in Python, would cost more than to find the reason. It takes no part in
// the search for cycles of garbage, which half a million new objects would set off again and
// again; nothing that it holds leads back to it.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"

namespace cattleya::bind {

using namespace nb::literals;

namespace {

// Atom n is called table[n]; where `holds` is given, table[2 n + holds[n]]. Where `numbers` are
// given, place p is atom numbers[p]. What is None in the table is made by `make`, and kept there.
class Names {
   public:
    Names(nb::list table, nb::callable make, Byte holds, Int numbers)
        : table_(std::move(table)),
          make_(std::move(make)),
          holds_(std::move(holds)),
          numbers_(std::move(numbers)) {
        n_atoms_ = holds_.is_valid() ? holds_.shape(0) : nb::len(table_);
        if (holds_.is_valid() && nb::len(table_) != 2 * n_atoms_) {
            throw std::invalid_argument("the table has " + std::to_string(nb::len(table_)) +
                                        " entries, not two per atom");
        }
        if (numbers_.is_valid()) known_.assign(numbers_.shape(0), nullptr);
        // Names hold texts and numbers, which lead nowhere. The search for cycles of garbage need
        // not follow the table; and then it leaves a million names in the order in which they were
        // made, which is that of memory, and goes over them three times faster.
        PyObject_GC_UnTrack(table_.ptr());
    }

    // A new reference to the name of an atom.
    [[nodiscard]] PyObject* name(std::int32_t place) const {
        const auto at = static_cast<std::size_t>(place);
        PyObject* known = place >= 0 && at < known_.size() ? known_[at] : nullptr;
        if (known == nullptr) known = looked_up(place);
        Py_INCREF(known);
        return known;
    }

   private:
    // The name of an atom, which the table holds.
    [[nodiscard]] PyObject* looked_up(std::int32_t place) const {
        std::int32_t atom = place;
        if (numbers_.is_valid()) atom = numbers_.data()[checked(place, numbers_.shape(0))];
        std::size_t at = checked(atom, n_atoms_);
        if (holds_.is_valid()) at = 2 * at + (holds_.data()[at] != 0 ? 1 : 0);
        const auto index = static_cast<Py_ssize_t>(at);
        PyObject* known = PyList_GetItem(table_.ptr(), index);
        if (known == nullptr) throw nb::python_error();
        if (known == Py_None) {
            const nb::object made = make_(index);
            known = made.ptr();
            table_[at] = made;
        }
        // The table never lets go of a name, so that it need not be held here.
        if (numbers_.is_valid()) known_[place] = known;
        return known;
    }

    static std::size_t checked(std::int64_t place, std::size_t size) {
        if (place < 0 || static_cast<std::size_t>(place) >= size) {
            throw nb::index_error(("there is no atom " + std::to_string(place)).c_str());
        }
        return static_cast<std::size_t>(place);
    }

    nb::list table_;
    nb::callable make_;
    Byte holds_;
    Int numbers_;
    std::size_t n_atoms_;
    mutable std::vector<PyObject*> known_;  // the names by place, where there are numbers
};

// Calls `use` with different numbers in ascending order: a few are sorted, more go through a set of
// bits, which takes two nanoseconds for each.
template <class Use>
void in_ascending_order(std::span<const std::int32_t> numbers, Use use) {
    constexpr std::size_t kFew = 12;
    constexpr std::size_t kMostWords = 64;
    if (numbers.size() <= kFew) {
        std::array<std::int32_t, kFew> sorted;
        std::size_t size = 0;
        for (const std::int32_t number : numbers) {
            std::size_t at = size++;
            for (; at > 0 && sorted[at - 1] > number; --at) sorted[at] = sorted[at - 1];
            sorted[at] = number;
        }
        for (std::size_t k = 0; k < size; ++k) use(sorted[k]);
        return;
    }
    if (std::is_sorted(numbers.begin(), numbers.end())) {
        for (const std::int32_t number : numbers) use(number);
        return;
    }
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    const auto first = static_cast<std::uint32_t>(*low);
    const std::size_t words = (static_cast<std::uint32_t>(*high) - first) / 64 + 1;
    if (words > kMostWords) {
        std::vector<std::int32_t> sorted(numbers.begin(), numbers.end());
        std::sort(sorted.begin(), sorted.end());
        for (const std::int32_t number : sorted) use(number);
        return;
    }
    std::array<std::uint64_t, kMostWords> bits;
    std::fill_n(bits.begin(), words, 0);
    for (const std::int32_t number : numbers) {
        const std::uint32_t at = static_cast<std::uint32_t>(number) - first;
        bits[at >> 6] |= 1ull << (at & 63);
    }
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
            use(static_cast<std::int32_t>(first + 64 * word + std::countr_zero(left)));
        }
    }
}

// Set i has the atoms atom[start[i]] .. atom[start[i + 1] - 1].
class NamedSets {
   public:
    NamedSets(nb::object names, Long start, Int atom, bool in_order)
        : holder_(std::move(names)),
          names_(nb::cast<const Names*>(holder_)),
          start_(std::move(start)),
          atom_(std::move(atom)),
          in_order_(in_order) {
        const auto starts = view(start_);
        if (starts.empty() || starts.front() != 0 ||
            starts.back() != static_cast<std::int64_t>(atom_.shape(0)) ||
            !std::is_sorted(starts.begin(), starts.end())) {
            throw std::invalid_argument("start does not cut atom into sets");
        }
    }

    [[nodiscard]] Py_ssize_t count() const { return static_cast<Py_ssize_t>(start_.shape(0)) - 1; }

    [[nodiscard]] Py_ssize_t size(Py_ssize_t position) const {
        const std::int64_t* start = start_.data();
        return static_cast<Py_ssize_t>(start[position + 1] - start[position]);
    }

    // The names of a set: in the order of their numbers, or as they are.
    [[nodiscard]] nb::object names(Py_ssize_t position) const {
        const Py_ssize_t length = size(position);
        nb::object made = nb::steal(PyTuple_New(length));
        if (!made.is_valid()) throw nb::python_error();
        Py_ssize_t at = 0;
        const auto put = [&](std::int32_t place) {
            if (at >= length) return;
#ifdef Py_LIMITED_API
            PyTuple_SetItem(made.ptr(), at++, names_->name(place));
#else
            PyTuple_SET_ITEM(made.ptr(), at++, names_->name(place));
#endif
        };
        const std::span<const std::int32_t> own{atom_.data() + start_.data()[position],
                                                static_cast<std::size_t>(length)};
        if (in_order_) {
            for (const std::int32_t place : own) put(place);
        } else {
            in_ascending_order(own, put);
        }
        if (at < length) throw std::invalid_argument("an atom is in a set twice");
        return made;
    }

   private:
    nb::object holder_;
    const Names* names_;  // what it holds
    Long start_;
    Int atom_;
    bool in_order_;
};

struct NamedSet {
    PyObject_HEAD;
    PyObject* source;
    PyObject* holder;  // of the sets
    const NamedSets* sets;
    Py_ssize_t position;
};

NamedSet* as_set(PyObject* self) { return reinterpret_cast<NamedSet*>(self); }

// Has a new object stand for a set of `sets`.
void fill(PyObject* self, nb::handle source, nb::handle holder, const NamedSets* sets,
          Py_ssize_t position) {
    NamedSet* made = as_set(self);
    made->source = source.inc_ref().ptr();
    made->holder = holder.inc_ref().ptr();
    made->sets = sets;
    made->position = position;
    // A class that is written in Python takes part in the search for cycles, whatever its base.
    if (PyObject_GC_IsTracked(self) != 0) PyObject_GC_UnTrack(self);
}

template <class Work>
auto translated(Work work, decltype(work()) failed) {
    try {
        return work();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const nb::builtin_exception& error) {
        PyErr_SetString(PyExc_IndexError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    }
    return failed;
}

int init(PyObject* self, PyObject* arguments, PyObject* keywords) {
    PyObject* source = nullptr;
    Py_ssize_t position = 0;
    if (keywords != nullptr && PyDict_Size(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "a reason takes its source and its position");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "On", &source, &position)) return -1;
    if (as_set(self)->source != nullptr) {
        PyErr_SetString(PyExc_TypeError, "a reason never changes");
        return -1;
    }
    return translated(
        [&] {
            const nb::object holder = nb::getattr(nb::handle(source), "sets");
            const NamedSets* sets = nullptr;
            if (!nb::try_cast(holder, sets) || sets == nullptr) {
                PyErr_SetString(PyExc_TypeError, "the sets of a source are NamedSets");
                return -1;
            }
            if (position < 0 || position >= sets->count()) {
                PyErr_Format(PyExc_IndexError, "there is no reason %zd", position);
                return -1;
            }
            fill(self, source, holder, sets, position);
            return 0;
        },
        -1);
}

void destroy(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_CLEAR(as_set(self)->source);
    Py_CLEAR(as_set(self)->holder);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

bool is_made(PyObject* self) {
    if (as_set(self)->sets != nullptr) return true;
    PyErr_SetString(PyExc_ValueError, "a reason needs a source");
    return false;
}

PyObject* conditions(PyObject* self, void* /*unused*/) {
    if (!is_made(self)) return nullptr;
    return translated(
        [&] { return as_set(self)->sets->names(as_set(self)->position).release().ptr(); },
        static_cast<PyObject*>(nullptr));
}

PyObject* iterate(PyObject* self) {
    PyObject* all = conditions(self, nullptr);
    if (all == nullptr) return nullptr;
    PyObject* made = PyObject_GetIter(all);
    Py_DECREF(all);
    return made;
}

Py_ssize_t length(PyObject* self) {
    return is_made(self) ? as_set(self)->sets->size(as_set(self)->position) : -1;
}

PyObject* source_of(PyObject* self, void* /*unused*/) {
    return is_made(self) ? nb::handle(as_set(self)->source).inc_ref().ptr() : nullptr;
}

PyObject* position_of(PyObject* self, void* /*unused*/) {
    return PyLong_FromSsize_t(as_set(self)->position);
}

nb::object named_set_type() {
    static PyGetSetDef fields[] = {
        {"conditions", conditions, nullptr,
         "The conditions in order: of the path in a direct reason, else of the features.", nullptr},
        {"_source", source_of, nullptr, nullptr, nullptr},
        {"_position", position_of, nullptr, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>("A set of a NamedSets, which its source has as ``sets``.")},
        {Py_tp_init, reinterpret_cast<void*>(init)},
        {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
        {Py_tp_iter, reinterpret_cast<void*>(iterate)},
        {Py_sq_length, reinterpret_cast<void*>(length)},
        {Py_tp_getset, fields},
        {0, nullptr}};
    static PyType_Spec spec = {"cattleya._core.NamedSet", sizeof(NamedSet), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return nb::steal(PyType_FromSpec(&spec));
}

// All sets as objects of a class, which is NamedSet with nothing added.
nb::object all_of(nb::handle self, nb::handle kind, nb::handle source, nb::handle base) {
    const auto* sets = nb::cast<const NamedSets*>(self);
    auto* type = reinterpret_cast<PyTypeObject*>(kind.ptr());
    if (!PyType_Check(kind.ptr()) ||
        PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base.ptr())) == 0) {
        throw nb::type_error("all takes a class of named sets");
    }
    nb::object made = nb::steal(PyTuple_New(sets->count()));
    if (!made.is_valid()) throw nb::python_error();
    for (Py_ssize_t position = 0; position < sets->count(); ++position) {
        PyObject* one = PyType_GenericAlloc(type, 0);
        if (one == nullptr) throw nb::python_error();
        fill(one, source, self, sets, position);
        PyTuple_SetItem(made.ptr(), position, one);
    }
    return made;
}

}  // namespace

void register_named_sets(nb::module_& m) {
    nb::class_<Names>(m, "Names", "What atoms are called: a table that is filled on demand.")
        .def(nb::init<nb::list, nb::callable, Byte, Int>(), "table"_a, "make"_a,
             "holds"_a.noconvert().none(), "numbers"_a.noconvert().none());

    const nb::object base = named_set_type();
    if (!base.is_valid()) throw nb::python_error();
    m.attr("NamedSet") = base;

    nb::class_<NamedSets>(m, "NamedSets", "Sets of atoms, with names.")
        .def(nb::init<nb::object, Long, Int, bool>(), "names"_a, "start"_a.noconvert(),
             "atom"_a.noconvert(), "in_order"_a)
        .def(
            "all",
            [base](nb::handle_t<NamedSets> self, nb::handle kind, nb::handle source) {
                return all_of(self, kind, source, base);
            },
            "kind"_a, "source"_a, "All sets, as objects of a class derived from NamedSet.");
}

}  // namespace cattleya::bind
