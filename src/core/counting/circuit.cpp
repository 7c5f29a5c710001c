#include "counting/circuit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "counting/bound.hpp"
#include "counting/enclosure.hpp"
#include "counting/evaluate.hpp"
#include "counting/machine.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

// One component of a circuit with weights: 0 excluded, 1 free, 2^shift included.
struct Question {
    const std::uint32_t* code;
    std::size_t words;
    Slot inputs;
    Slot slots;
    Slot result;
    double bits;
    Vector<bool> excluded;  // by input
    Vector<bool> included;
    int included_count;
};

struct Answer {
    Natural count;
    Vector<Natural> atom_count;  // only where asked for
};

// Bits `from` and up of a number, below bit `to`.
Natural bits_between(const std::uint64_t* limbs, int count, int from, int to) {
    Natural result;
    for (int bit = from; bit < to; bit += 64) {
        const int limb = bit / 64;
        const int offset = bit % 64;
        std::uint64_t value = limb < count ? limbs[limb] >> offset : 0;
        if (offset != 0 && limb + 1 < count) value |= limbs[limb + 1] << (64 - offset);
        if (to - bit < 64) value &= (std::uint64_t{1} << (to - bit)) - 1;
        result.push_back(value);
    }
    trim(result);
    return result;
}

Answer ask(const Question& q, bool with_importance, Budget& budget) {
    const int shift = static_cast<int>(std::ceil(q.bits)) + 1;
    const double total_bits = q.included_count == 0 ? q.bits : 1.0 * shift * (q.included_count + 1);
    const int limbs = limbs_for(total_bits);
    Machine machine(limbs);
    load_units(machine, q.inputs);
    machine.reserve(q.slots);
    for (Slot i = 0; i < q.inputs; ++i) {
        if (q.excluded[i]) machine.set(kFirstInput + i, 0);
        if (q.included[i]) {
            machine.set(kFirstInput + i, 0);
            machine.value(kFirstInput + i)[shift / 64] = std::uint64_t{1} << (shift % 64);
        }
    }
    // 64 instructions at a time at most cost some hundred microseconds in any ring that is
    // likely
    const std::size_t stretch = static_cast<std::size_t>(
        std::max<std::int64_t>(64, 4'000'000 / (std::int64_t{limbs} * limbs)));
    if (with_importance) machine.start_log(q.words);
    in_stretches(q.code, q.words, stretch, [&](const std::uint32_t* at, const std::uint32_t* stop) {
        budget.tick((stop - at) * limbs * limbs);
        return with_importance ? machine.run_logged(q.code, at, stop) : machine.run(at, stop);
    });
    const int width = machine.limbs();
    const int from = shift * q.included_count;
    const int to = q.included_count == 0 ? 64 * width : from + shift;
    Answer answer;
    answer.count = bits_between(machine.value(q.result), width, from, to);
    if (!with_importance) return answer;
    machine.start_back(q.result);
    while (machine.run_back(q.code, stretch / 4)) {
        budget.tick(static_cast<std::int64_t>(stretch) * limbs * limbs);
    }
    for (Slot i = 0; i < q.inputs; ++i) {
        if (q.included[i]) {
            answer.atom_count.push_back(answer.count);
        } else if (q.excluded[i]) {
            answer.atom_count.emplace_back();
        } else {
            answer.atom_count.push_back(
                bits_between(machine.adjoint(kFirstInput + i), width, from, to));
        }
    }
    return answer;
}

// Calls visit(component, question) for every component; false where an included atom is in no
// clause.
template <class Visit>
bool for_each_question(const Circuit& circuit, const Assumptions& assumptions, Visit&& visit) {
    const std::size_t n = as_size(circuit.n_atoms);
    Vector<bool> excluded(n), included(n), occurs(n);
    const auto mark = [&](const Vector<std::int32_t>& atoms, Vector<bool>& marks) {
        for (const std::int32_t a : atoms) {
            if (a < 0 || a >= circuit.n_atoms) {
                throw std::invalid_argument("there is no atom " + std::to_string(a));
            }
            marks[as_size(a)] = true;
        }
    };
    mark(assumptions.excluding, excluded);
    mark(assumptions.including, included);
    for (const std::int32_t a : circuit.atoms) occurs[as_size(a)] = true;
    for (std::size_t a = 0; a < n; ++a) {
        if (included[a] && (excluded[a] || !occurs[a])) return false;
    }
    for (std::int64_t c = 0; c < circuit.components(); ++c) {
        Question q;
        q.code = circuit.words.data() + circuit.component_start[as_size(c)];
        q.words =
            as_size(circuit.component_start[as_size(c + 1)] - circuit.component_start[as_size(c)]);
        const std::int64_t first = circuit.atom_start[as_size(c)];
        q.inputs = static_cast<Slot>(circuit.atom_start[as_size(c + 1)] - first);
        q.slots = circuit.slots[as_size(c)];
        q.result = circuit.result[as_size(c)];
        q.bits = circuit.bits[as_size(c)];
        q.included_count = 0;
        for (Slot i = 0; i < q.inputs; ++i) {
            const std::size_t a = as_size(circuit.atoms[as_size(first + i)]);
            q.excluded.push_back(excluded[a]);
            q.included.push_back(included[a]);
            q.included_count += included[a];
        }
        visit(c, q);
    }
    return true;
}

}  // namespace

std::int64_t Circuit::instructions() const {
    std::int64_t count = 0;
    for (std::size_t at = 0; at < words.size(); ++count) {
        at += 1 + as_size(kOperandWords[words[at] >> kTargetBits]);
    }
    return count;
}

void check(const Circuit& circuit) {
    const auto require = [](bool good, const char* what) {
        if (!good) throw std::invalid_argument(std::string("not a circuit: ") + what);
    };
    const std::size_t n = circuit.slots.size();
    require(circuit.n_atoms >= 0, "a negative number of atoms");
    require(circuit.component_start.size() == n + 1 && circuit.atom_start.size() == n + 1 &&
                circuit.result.size() == n && circuit.bits.size() == n,
            "arrays of different lengths");
    require(circuit.component_start[0] == 0 && circuit.atom_start[0] == 0 &&
                circuit.component_start[n] == static_cast<std::int64_t>(circuit.words.size()) &&
                circuit.atom_start[n] == static_cast<std::int64_t>(circuit.atoms.size()),
            "components that do not fill the arrays");
    // Before any of them is looked at: one that ends too late would be read beyond the arrays.
    require(std::ranges::is_sorted(circuit.component_start) &&
                std::ranges::is_sorted(circuit.atom_start),
            "components out of order");
    Vector<bool> seen(as_size(circuit.n_atoms));
    for (const std::int32_t a : circuit.atoms) {
        require(a >= 0 && a < circuit.n_atoms && !seen[as_size(a)], "a wrong atom");
        seen[as_size(a)] = true;
    }
    for (std::size_t c = 0; c < n; ++c) {
        const std::int64_t inputs = circuit.atom_start[c + 1] - circuit.atom_start[c];
        const std::uint32_t slots = circuit.slots[c];
        require(slots >= kFirstInput + inputs && slots <= kTargetMask && circuit.result[c] < slots,
                "slots out of range");
        require(circuit.bits[c] >= 0 && circuit.bits[c] < 1e9, "a wrong bound");
        const std::size_t end = as_size(circuit.component_start[c + 1]);
        for (std::size_t at = as_size(circuit.component_start[c]); at < end;) {
            const std::uint32_t first = circuit.words[at];
            const std::size_t next = at + 1 + as_size(kOperandWords[first >> kTargetBits]);
            require(next <= end, "an instruction cut off");
            require((first & kTargetMask) < slots && (first & kTargetMask) >= kFirstInput + inputs,
                    "a target out of range");
            for (++at; at < next; ++at)
                require(circuit.words[at] < slots, "an operand out of range");
        }
    }
}

Circuit compile(const ClauseSet& clauses, Budget& budget) {
    check(clauses);
    Circuit circuit;
    circuit.n_atoms = clauses.n_atoms;
    circuit.component_start = {0};
    circuit.atom_start = {0};
    const auto components = split_into_components(clauses, budget);
    if (!components) {
        circuit.impossible = true;
        return circuit;
    }
    for (const Component& component : *components) {
        double bits = count_bits_bound(component.clauses, budget);
        ComponentSearch run(component, budget);
        EnclosureMachine enclosure;
        load_units(enclosure, run.inputs);
        bool done = false;
        while (!done) {
            done = run.search.advance(std::size_t{1} << 14);
            enclosure.reserve(run.emit.high_water());
            enclosure.run(run.emit.code(), run.emit.end());
            circuit.words.insert(circuit.words.end(), run.emit.code(), run.emit.end());
            run.emit.clear_code();
        }
        bits = std::min(bits, enclosure.bits(run.search.result()));
        circuit.component_start.push_back(static_cast<std::int64_t>(circuit.words.size()));
        circuit.atoms.insert(circuit.atoms.end(), component.atoms.begin(), component.atoms.end());
        circuit.atom_start.push_back(static_cast<std::int64_t>(circuit.atoms.size()));
        circuit.slots.push_back(run.emit.high_water());
        circuit.result.push_back(run.search.result());
        circuit.bits.push_back(bits);
    }
    return circuit;
}

Natural count(const Circuit& circuit, Budget& budget, const Assumptions& assumptions) {
    if (circuit.impossible) return {};
    Vector<Natural> counts;
    const bool possible = for_each_question(
        circuit, assumptions,
        [&](std::int64_t, const Question& q) { counts.push_back(ask(q, false, budget).count); });
    return possible ? product(std::move(counts)) : Natural{};
}

ImportanceResult importance(const Circuit& circuit, Budget& budget,
                            const Assumptions& assumptions) {
    ImportanceResult result;
    result.component_of.assign(as_size(circuit.n_atoms), -1);
    result.atom_count.resize(as_size(circuit.n_atoms));
    if (circuit.impossible) return result;
    const bool possible =
        for_each_question(circuit, assumptions, [&](std::int64_t c, const Question& q) {
            Answer answer = ask(q, true, budget);
            for (Slot i = 0; i < q.inputs; ++i) {
                const std::size_t a =
                    as_size(circuit.atoms[as_size(circuit.atom_start[as_size(c)] + i)]);
                result.component_of[a] = static_cast<std::int32_t>(c);
                result.atom_count[a] = std::move(answer.atom_count[i]);
            }
            result.component_count.push_back(std::move(answer.count));
        });
    if (!possible)
        return {{}, {}, result.component_of, Vector<Natural>(as_size(circuit.n_atoms)), {}};
    result.count = product(result.component_count);
    return result;
}

}  // namespace cattleya::counting
