// Sets given to Python one batch after the other, within one limit on memory for all of them.
#pragma once

#include <nanobind/nanobind.h>

#include <tuple>

#include "bind/arrays.hpp"

namespace cattleya::bind {

template <class Sets>
class Enumeration {
   public:
    Enumeration(const ClauseView& clauses, std::int32_t n_atoms, std::int64_t memory)
        : memory_(memory), sets_(within(kForever, memory, [&](Budget&) {
              Sets sets(clauses, n_atoms);
              held_ = Account::current()->held();
              return sets;
          })) {}

    // At most `limit` further sets as (more, start, atom).
    auto next(std::int64_t limit, double seconds) {
        Vector<std::int64_t> start;
        Vector<std::int32_t> atom;
        const bool more = within(
            seconds, memory_,
            [&](Budget& budget) {
                start.push_back(0);
                const bool found = sets_.next(limit, start, atom, budget);
                held_ = Account::current()->held() - bytes(start) - bytes(atom);
                return found;
            },
            held_);
        return std::make_tuple(more, give(std::move(start)), give(std::move(atom)));
    }

   private:
    template <class T>
    static std::int64_t bytes(const Vector<T>& given) {
        return static_cast<std::int64_t>(Counted<T>::bytes_of(given.capacity()));
    }

    std::int64_t memory_;
    std::int64_t held_ = 0;  // by the sets, between two calls
    Sets sets_;
};

template <class Sets>
void register_enumeration(nb::module_& m, const char* name, const char* doc) {
    using namespace nb::literals;
    nb::class_<Enumeration<Sets>>(m, name, doc)
        .def(
            "__init__",
            [](Enumeration<Sets>* self, const Long& start, const Int& atom, std::int32_t n_atoms,
               std::int64_t memory) {
                new (self) Enumeration<Sets>({view(start), view(atom)}, n_atoms, memory);
            },
            "start"_a.noconvert(), "atom"_a.noconvert(), "n_atoms"_a, "memory"_a = kUnbounded)
        .def("next", &Enumeration<Sets>::next, "limit"_a, "seconds"_a,
             "At most so many further sets as (more, start, atom); the order is the search's.");
}

}  // namespace cattleya::bind
