// Sampling by counting: a decision is drawn with the exact odds, the problem that is left is
// counted again, and so on.
//
// The circuit has subtractions, so one cannot descend in it. Asking it again for every decision
// would cost its whole length each time. But a decision makes the problem smaller, and counting a
// smaller problem from scratch is cheaper by a factor each time: the whole costs a few counts. All
// samples are drawn together: those that decide alike share the work.
//
// The state of a partial sample is a set of clauses of two kinds: *own* clauses, which can be a
// member's own (met by it alone), and *hit* clauses, which must be met but are nobody's own; and
// some atoms are known to be included without yet having a clause of their own. The sets counted
// are those that meet all clauses, include what is included, and in which every member has an own
// clause of its own. In the sum of counting.hpp a hit clause is the table (0, 1, 1) and an included
// atom has the own table (0, 1, 1). Decisions, each splitting the sets counted in two:
//   - an atom is out, or it is in;
//   - an included atom has this own clause c for itself (then the others of c are out, and the atom
//     is settled: c is now the clause {atom}), or it does not (then c without the atom becomes a
//     hit clause).
// A unit own clause settles its atom: all other clauses with it are met, and are nobody's own.
#include "counting/sample.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "counting/evaluate.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

// xoshiro256** of Blackman and Vigna, seeded by splitmix64: the same numbers on every machine.
class Random {
   public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& s : state_) {
            seed += 0x9E3779B97F4A7C15u;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
            s = z ^ (z >> 31);
        }
    }
    std::uint64_t word() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // Uniform in 0, ..., n - 1, by rejection.
    Natural below(const Natural& n) {
        const int bits = bit_length(n);
        while (true) {
            Natural draw(n.size());
            for (std::uint64_t& limb : draw) limb = word();
            if (bits % 64 != 0) draw.back() &= (std::uint64_t{1} << (bits % 64)) - 1;
            trim(draw);
            if (less(draw, n)) return draw;
        }
    }

   private:
    std::uint64_t state_[4];
};

struct Clause {
    Vector<std::int32_t> atoms;
    ClauseKind kind = ClauseKind::own;
};

// A partial problem, and the samples that got there.
struct Item {
    Vector<Clause> clauses;
    Vector<bool> included;  // by atom: in, but without an own clause yet
    Vector<std::int64_t> samples;
    std::optional<Natural> count;
};

class Sampler {
   public:
    Sampler(const ClauseSet& clauses, std::int64_t number, std::uint64_t seed, Budget& budget)
        : n_atoms_(clauses.n_atoms),
          random_(seed),
          budget_(budget),
          drawn_(static_cast<std::size_t>(number)) {}

    // False when there is nothing to draw from.
    bool run(Item start) {
        start.count.reset();
        if (!settle(start)) return false;
        if (count(start).empty()) return false;
        stack_.push_back(std::move(start));
        while (!stack_.empty()) {
            Item item = std::move(stack_.back());
            stack_.pop_back();
            budget_.look();
            if (!settle(item)) throw std::logic_error("a drawn problem has no solution");
            split(std::move(item));
        }
        for (auto& set : drawn_) std::sort(set.begin(), set.end());
        return true;
    }
    Vector<Vector<std::int32_t>> take() { return std::move(drawn_); }

   private:
    // Applies what follows without a decision; hands settled atoms to the samples. False:
    // impossible.
    bool settle(Item& item) {
        while (true) {
            Vector<char> settled(as_size(n_atoms_)), has_own(as_size(n_atoms_));
            bool changed = false;
            for (const Clause& clause : item.clauses) {
                if (clause.atoms.empty()) return false;
                if (clause.kind != ClauseKind::own) {
                    if (clause.atoms.size() == 1) item.included[as_size(clause.atoms[0])] = true;
                    continue;
                }
                for (const std::int32_t a : clause.atoms) has_own[as_size(a)] = 1;
                char& mark = settled[as_size(clause.atoms[0])];
                if (clause.atoms.size() == 1 && mark == 0) {
                    mark = 1;
                    tick(item.samples.size());
                    for (const std::int64_t s : item.samples)
                        drawn_[as_size(s)].push_back(clause.atoms[0]);
                }
            }
            // Settled is more than included, also where a unit hit clause of the same atom came
            // after.
            for (std::size_t atom = 0; atom < settled.size(); ++atom) {
                if (settled[atom] == 1) item.included[atom] = false;
            }
            Vector<Clause> left;
            for (Clause& clause : item.clauses) {
                bool met = false;
                for (const std::int32_t a : clause.atoms) {
                    met |= settled[as_size(a)] == 1 ||
                           (clause.kind == ClauseKind::hit && item.included[as_size(a)]);
                }
                if (met) {
                    changed = true;
                    continue;
                }
                if (clause.kind == ClauseKind::hit) {  // an atom without an own clause cannot be in
                    const auto gone = std::erase_if(
                        clause.atoms, [&](std::int32_t a) { return has_own[as_size(a)] == 0; });
                    changed |= gone != 0;
                }
                left.push_back(std::move(clause));
            }
            item.clauses = std::move(left);
            if (!changed) break;
        }
        return true;
    }

    // Call where atoms are handed to so many samples.
    void tick(std::size_t samples) {
        constexpr std::int64_t kNanoseconds = 300;  // for a draw
        budget_.tick(static_cast<std::int64_t>(samples) * kNanoseconds);
    }

    // Splits a settled problem into components, draws from simple ones, and decides something in
    // the others.
    void split(Item item) {
        const auto components = components_of(item);
        if (!components) throw std::logic_error("a drawn problem has no solution");
        const bool whole = components->size() == 1;
        for (const Component& component : *components) {
            if (is_single_clause_of_own(component)) {
                const Natural size = {static_cast<std::uint64_t>(component.atoms.size())};
                tick(item.samples.size());
                for (const std::int64_t s : item.samples) {
                    const Natural draw = random_.below(size);
                    drawn_[as_size(s)].push_back(component.atoms[draw.empty() ? 0 : draw[0]]);
                }
                continue;
            }
            Item part;
            part.included.assign(as_size(n_atoms_), false);
            part.samples = item.samples;
            for (std::size_t i = 0; i < component.atoms.size(); ++i) {
                part.included[as_size(component.atoms[i])] = component.included[i];
            }
            for (std::int64_t c = 0; c < component.clauses.size(); ++c) {
                Clause clause;
                clause.kind = component.kind[as_size(c)];
                for (std::int64_t i = component.clauses.start[as_size(c)];
                     i < component.clauses.start[as_size(c + 1)]; ++i) {
                    clause.atoms.push_back(
                        component.atoms[as_size(component.clauses.atom[as_size(i)])]);
                }
                part.clauses.push_back(std::move(clause));
            }
            if (whole) part.count = item.count;
            decide(std::move(part));
        }
    }

    void decide(Item item) {
        Item first = item;
        Item second = item;
        // an included atom in the shortest own clause, else the atom in the most clauses
        const Clause* shortest = nullptr;
        std::int32_t atom = -1;
        Vector<std::int32_t> degree(as_size(n_atoms_));
        for (const Clause& clause : item.clauses) {
            for (const std::int32_t a : clause.atoms) {
                ++degree[as_size(a)];
                if (clause.kind == ClauseKind::own && item.included[as_size(a)] &&
                    (shortest == nullptr || clause.atoms.size() < shortest->atoms.size())) {
                    shortest = &clause;
                    atom = a;
                }
            }
        }
        if (shortest != nullptr) {
            const std::size_t index = static_cast<std::size_t>(shortest - item.clauses.data());
            Vector<char> out(as_size(n_atoms_));
            for (const std::int32_t a : shortest->atoms) out[as_size(a)] = a != atom;
            take_out(first, out);
            second.clauses[index].kind = ClauseKind::hit;
            std::erase(second.clauses[index].atoms, atom);
        } else {
            atom = static_cast<std::int32_t>(std::max_element(degree.begin(), degree.end()) -
                                             degree.begin());
            Vector<char> out(as_size(n_atoms_));
            out[as_size(atom)] = 1;
            take_out(first, out);
            second.included[as_size(atom)] = true;
        }
        const Natural all = count(item);
        first.count.reset();
        const Natural part = count(first);
        second.count = subtract(all, part);
        first.samples.clear();
        second.samples.clear();
        for (const std::int64_t s : item.samples) {
            (less(random_.below(all), part) ? first : second).samples.push_back(s);
        }
        if (!first.samples.empty()) stack_.push_back(std::move(first));
        if (!second.samples.empty()) stack_.push_back(std::move(second));
    }

    // Takes atoms out of all clauses. One that was included makes the problem impossible: an empty
    // clause says so.
    static void take_out(Item& item, const Vector<char>& out) {
        bool impossible = false;
        for (std::size_t a = 0; a < out.size(); ++a) impossible |= out[a] != 0 && item.included[a];
        for (Clause& clause : item.clauses) {
            std::erase_if(clause.atoms, [&](std::int32_t a) { return out[as_size(a)] != 0; });
        }
        if (impossible) item.clauses.push_back({});
    }

    std::optional<Vector<Component>> components_of(const Item& item) {
        ClauseSet set;
        set.n_atoms = n_atoms_;
        Vector<ClauseKind> kind;
        for (const Clause& clause : item.clauses) {
            set.atom.insert(set.atom.end(), clause.atoms.begin(), clause.atoms.end());
            set.start.push_back(static_cast<std::int64_t>(set.atom.size()));
            kind.push_back(clause.kind);
        }
        return split_into_components(set, budget_, item.included, kind);
    }

    static bool is_single_clause_of_own(const Component& component) {
        return component.clauses.size() == 1 && component.kind[0] == ClauseKind::own &&
               std::none_of(component.included.begin(), component.included.end(),
                            [](bool b) { return b; });
    }

    Natural count(Item& item) {
        if (!item.count) {
            const auto components = components_of(item);
            Vector<Natural> counts;
            Effort effort;
            if (components) {
                for (const Component& component : *components) {
                    counts.push_back(is_single_clause_of_own(component)
                                         ? Natural{component.atoms.size()}
                                         : count_component(component, budget_, effort));
                    if (counts.back().empty()) break;
                }
            }
            item.count = components ? product(std::move(counts)) : Natural{};
        }
        return *item.count;
    }

    static std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

    std::int32_t n_atoms_;
    Random random_;
    Budget& budget_;
    Vector<Item> stack_;
    Vector<Vector<std::int32_t>> drawn_;
};

}  // namespace

Vector<Vector<std::int32_t>> sample(const ClauseSet& clauses, std::int64_t number,
                                    std::uint64_t seed, Budget& budget) {
    check(clauses);
    if (number < 0) throw std::invalid_argument("the number of samples is negative");
    Item start;
    start.included.assign(static_cast<std::size_t>(clauses.n_atoms), false);
    for (std::size_t c = 0; c + 1 < clauses.start.size(); ++c) {
        Clause clause;
        clause.atoms.assign(clauses.atom.begin() + clauses.start[c],
                            clauses.atom.begin() + clauses.start[c + 1]);
        start.clauses.push_back(std::move(clause));
    }
    for (std::int64_t s = 0; s < number; ++s) start.samples.push_back(s);
    Sampler sampler(clauses, number, seed, budget);
    if (!sampler.run(std::move(start))) return {};
    return sampler.take();
}

}  // namespace cattleya::counting
