// Sampling by counting: what is decided is drawn with the exact odds, from counts of smaller
// problems.
//
// The circuit has subtractions, so one cannot descend in it. But deciding that an atom v is out or
// in leaves plain problems of the same kind, with fewer clauses. With v out, the clauses lose v
// (clauses that contain another one then go). With v in, all clauses of v are met and go; what is
// drawn from the others makes a minimal hitting set together with v, unless it meets all clauses of
// v: then v is redundant, and the draw is rejected. Atoms in many clauses are decided first, and
// for these that is rare: of a thousand draws some are rejected. Where nothing is rejected, every
// minimal hitting set comes from one way of deciding and one draw from what that leaves, so all
// have the same odds if each way is taken in proportion to the number of its draws.
//
// A component is drawn from in one of four ways:
//   - one clause: any of its atoms;
//   - few minimal hitting sets: all are listed, and one is taken;
//   - a component that is quickly counted: the atoms are put in an order, and what is decided is
//     which of them is the first that is in. The number of minimal hitting sets without the first j
//     atoms is the value of the component's polynomial where these have the weight zero, so one
//     program (program.hpp) gives the odds of all j, and a draw asks for the few that bisection
//     needs;
//   - else a tree of decisions whose leaves are much smaller, each with its count. These counts
//     together cost about as much as that of the component, which itself is not needed.
// A rejected draw is repeated from the decisions of its component on: the odds of these were exact
// among draws, not among minimal hitting sets. Where the first atom that is in was decided, the
// odds were those of minimal hitting sets, and only what follows is repeated.
//
// What was counted is kept for the samples that come to the same problem: the first decisions are
// shared by all.
#include "counting/sample.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "counting/bound.hpp"
#include "counting/dense.hpp"
#include "counting/evaluate.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

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

using Atoms = Vector<std::int32_t>;

// The clauses of a component.
auto begin_of(const ClauseSet& clauses, std::int64_t c) {
    return clauses.atom.begin() + clauses.start[as_size(c)];
}
std::int64_t size_of(const ClauseSet& clauses, std::int64_t c) {
    return clauses.start[as_size(c + 1)] - clauses.start[as_size(c)];
}

// The number of clauses of every atom; a clause of two counts twice.
Vector<std::int64_t> degrees(const ClauseSet& clauses) {
    Vector<std::int64_t> degree(as_size(clauses.n_atoms));
    for (std::int64_t c = 0; c < clauses.size(); ++c) {
        std::for_each(begin_of(clauses, c), begin_of(clauses, c + 1), [&](std::int32_t a) {
            degree[as_size(a)] += size_of(clauses, c) == 2 ? 2 : 1;
        });
    }
    return degree;
}

// A number of its own for every atom, in no order. By it, of atoms that are alike not the first
// ones come first but any: these are far from each other in what is long and narrow, which falls
// apart.
std::uint32_t scattered(std::int32_t atom) {
    return (static_cast<std::uint32_t>(atom) + 1) * 0x9E3779B9u;
}

struct Node;

// What decisions lead to.
struct Way {
    Natural weight;         // in a tree: the number of draws
    Atoms members;          // those that are in
    Vector<Node> nodes;     // the components of what is left
    Vector<Atoms> clauses;  // one of these must not be met: the clauses of the member that was
                            // decided, without it
};

struct Decision {
    Way out, in;
};

// Runs programs, and keeps its machines for the next.
class Runner {
   public:
    BlockMachine& machine(int limbs) {
        auto& machine = machines_[limbs];
        if (!machine) machine = std::make_unique<BlockMachine>(limbs);
        return *machine;
    }

   private:
    std::map<int, std::unique_ptr<BlockMachine>> machines_;
};

// The count of a component, and its program, if that is short, to be run again where atoms are out.
class Counter {
   public:
    // Without `wanted`, what is not short is not counted.
    Counter(const Component& part, bool wanted, Runner& runner, Budget& budget);

    bool is_short() const { return !code_.empty(); }
    const Natural& count() const { return without_.at(0); }

    // The number of minimal hitting sets without the first `n` atoms of the order.
    const Natural& without(std::size_t n, Runner& runner, Budget& budget);

    std::int64_t bytes() const {
        constexpr std::size_t kBeside = 512;
        return static_cast<std::int64_t>(code_.size() * sizeof(std::uint32_t) + kBeside);
    }

    Atoms order;                      // those in many clauses first
    std::map<std::size_t, Way> ways;  // by the place of the first atom that is in

   private:
    static constexpr std::size_t kShort = std::size_t{1} << 15;

    int limbs_ = 0;
    Slot inputs_ = 0, slots_ = 0, result_ = 0;
    Vector<std::uint32_t> code_;
    std::map<std::size_t, Natural> without_;
};

// A component of what is left after some decisions.
struct Node {
    Component part;  // its atoms have the caller's numbers
    Natural weight;  // within a tree: its number of minimal hitting sets, or of draws
    bool is_leaf = true;
    bool was_looked_at = false;  // whether there are few
    Atoms sets;                  // where there are few: all of them, one after the other
    Vector<std::int64_t> start;  // where each of these starts
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Decision> decision;
};

Counter::Counter(const Component& part, bool wanted, Runner& runner, Budget& budget) {
    ComponentSearch run(part, budget, true);
    bool done = run.search.advance(kShort);
    if (!done && !wanted) return;
    const bool is_short = done;
    const double bound = count_bits_bound(part.clauses, budget);
    limbs_ = std::min(limbs_for(bound), guess_limbs(bound) + 1);  // too few cost more than one more
    inputs_ = run.inputs;
    while (true) {
        BlockMachine& machine = runner.machine(limbs_);
        machine.reserve(run.emit.high_water());
        load_units(machine.ring, inputs_);
        load_units(machine.enclosure, inputs_);
        while (true) {
            budget.tick(static_cast<std::int64_t>(run.emit.words()) * limbs_ * limbs_);
            machine.reserve(run.emit.high_water());
            machine.run(run.emit.code(), run.emit.end(), budget);
            if (done) break;
            run.emit.clear_code();
            done = run.search.advance(kShort);
        }
        result_ = run.search.result();
        const double bits = machine.enclosure.bits(result_);
        const int enough = limbs_for(std::min(bound, bits));
        if (enough <= limbs_) {
            without_[0] = natural_from(machine.ring.value(result_), limbs_);
            break;
        }
        if (!is_short) {
            Effort effort;
            without_[0] = count_component(part, budget, effort);
            return;
        }
        limbs_ = enough;
    }
    if (!is_short) return;
    code_.assign(run.emit.code(), run.emit.end());
    slots_ = run.emit.high_water();
    limbs_ = std::max(1, static_cast<int>(count().size()));
    const Vector<std::int64_t> degree = degrees(part.clauses);
    order.resize(degree.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(-degree[as_size(a)], scattered(a)) <
               std::pair(-degree[as_size(b)], scattered(b));
    });
}

const Natural& Counter::without(std::size_t n, Runner& runner, Budget& budget) {
    const auto [at, is_new] = without_.try_emplace(n);
    if (!is_new) return at->second;
    BlockMachine& machine = runner.machine(limbs_);
    budget.tick(static_cast<std::int64_t>(code_.size()) * limbs_ * limbs_);
    machine.reserve(slots_);
    load_units(machine.ring, inputs_);
    load_units(machine.enclosure, inputs_);
    for (std::size_t i = 0; i < n; ++i) {
        const Slot weight = kFirstInput + static_cast<Slot>(order[i]);
        machine.ring.set(weight, 0);
        machine.enclosure.set(weight, 0);
    }
    machine.run(code_.data(), code_.data() + code_.size(), budget);
    at->second = natural_from(machine.ring.value(result_), limbs_);
    return at->second;
}

// All minimal hitting sets of a small component, where they are at most kMostSets.
class Listing {
   public:
    static constexpr std::int64_t kMostClauses = 64;
    static constexpr std::size_t kMostSets = 64;
    static constexpr int kMostSteps = 1000;

    // The component has at most kMostClauses clauses.
    explicit Listing(const Component& part)
        : part_(part),
          met_by_(as_size(part.clauses.n_atoms)),
          candidate_(as_size(part.clauses.n_atoms), 1) {
        for (std::int64_t c = 0; c < part.clauses.size(); ++c) {
            std::for_each(begin_of(part.clauses, c), begin_of(part.clauses, c + 1),
                          [&](std::int32_t a) { met_by_[as_size(a)] |= std::uint64_t{1} << c; });
        }
    }

    // False when there are too many.
    bool run(Node& node) {
        node.start = {0};
        if (grow(node, ~std::uint64_t{0} >> (kMostClauses - part_.clauses.size()))) return true;
        node.sets.clear();
        return false;
    }
    int steps() const { return steps_; }

   private:
    // A clause that is not met is met in every way: with each of its atoms that is still a
    // candidate, those before it being candidates again only below the ones after. A member that
    // loses its last own clause gets none back.
    bool grow(Node& node, std::uint64_t unmet) {
        if (++steps_ > kMostSteps) return false;
        if (unmet == 0) {
            if (node.start.size() > kMostSets) return false;
            for (const std::int32_t a : members_) node.sets.push_back(part_.atoms[as_size(a)]);
            node.start.push_back(static_cast<std::int64_t>(node.sets.size()));
            return true;
        }
        const std::int64_t c = std::countr_zero(unmet);
        Atoms tried;
        std::copy_if(begin_of(part_.clauses, c), begin_of(part_.clauses, c + 1),
                     std::back_inserter(tried),
                     [&](std::int32_t a) { return candidate_[as_size(a)] != 0; });
        for (const std::int32_t a : tried) candidate_[as_size(a)] = 0;
        for (const std::int32_t a : tried) {
            const std::uint64_t met = met_by_[as_size(a)];
            if (std::all_of(own_.begin(), own_.end(),
                            [&](std::uint64_t own) { return (own & ~met) != 0; })) {
                const Vector<std::uint64_t> before = own_;
                for (std::uint64_t& own : own_) own &= ~met;
                own_.push_back(met & unmet);
                members_.push_back(a);
                if (!grow(node, unmet & ~met)) return false;
                members_.pop_back();
                own_ = before;
            }
            candidate_[as_size(a)] = 1;
        }
        return true;
    }

    const Component& part_;
    Vector<std::uint64_t> met_by_;  // by atom: the clauses it meets
    Vector<char> candidate_;        // by atom
    Atoms members_;
    Vector<std::uint64_t> own_;  // by member: the clauses met by it alone
    int steps_ = 0;
};

class Sampler {
   public:
    Sampler(const ClauseSet& clauses, std::uint64_t seed, Budget& budget)
        : random_(seed), budget_(budget), is_member_(as_size(clauses.n_atoms)) {
        Atoms atoms(as_size(clauses.n_atoms));
        std::iota(atoms.begin(), atoms.end(), 0);
        leave(all_, clauses, Vector<char>(as_size(clauses.size()), 1), atoms);
    }
    ~Sampler() { forget(0); }
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    Atoms draw() {
        take(all_);
        while (!agenda_.empty()) {
            const Entry entry = agenda_.back();
            agenda_.pop_back();
            budget_.tick(300);
            if (!entry.closes) {
                draw_from(*entry.node);
                continue;
            }
            if (std::all_of(checks_.begin() + static_cast<std::ptrdiff_t>(entry.checks),
                            checks_.end(), [&](const Way* way) { return keeps_one(*way); })) {
                continue;
            }
            for (; set_.size() > entry.members; set_.pop_back()) {
                is_member_[as_size(set_.back())] = 0;
            }
            checks_.resize(entry.checks);
            agenda_.push_back(entry);
            take(entry.way != nullptr ? *entry.way : decided(*entry.node->decision));
        }
        for (const std::int32_t a : set_) is_member_[as_size(a)] = 0;
        checks_.clear();
        forget(budget_.memory_limit / 8);
        std::sort(set_.begin(), set_.end());
        return std::exchange(set_, {});
    }

   private:
    // A node to be drawn from; or what was drawn from it since then is to be looked at, and to be
    // repeated if a member is redundant.
    struct Entry {
        Node* node;
        bool closes = false;
        Way* way = nullptr;  // to be taken again; null: the decisions are repeated, too
        std::size_t members = 0, checks = 0;
    };

    std::size_t below(std::size_t n) {
        const Natural draw = random_.below({n});
        return draw.empty() ? 0 : draw[0];
    }

    void include(std::int32_t atom) {
        is_member_[as_size(atom)] = 1;
        set_.push_back(atom);
    }

    void take(Way& way) {
        if (!way.clauses.empty()) checks_.push_back(&way);
        for (const std::int32_t a : way.members) include(a);
        for (Node& node : way.nodes) agenda_.push_back({&node});
    }

    Way& decided(Decision& decision) {
        const Natural all = add(decision.out.weight, decision.in.weight);
        return less(random_.below(all), decision.out.weight) ? decision.out : decision.in;
    }

    // Whether the member that was decided has a clause of its own.
    bool keeps_one(const Way& way) const {
        return std::any_of(way.clauses.begin(), way.clauses.end(), [&](const Atoms& clause) {
            return std::none_of(clause.begin(), clause.end(),
                                [&](std::int32_t a) { return is_member_[as_size(a)] != 0; });
        });
    }

    void draw_from(Node& node) {
        if (!node.is_leaf) {
            take(decided(*node.decision));
        } else if (is_single_clause(node.part)) {
            include(node.part.atoms[below(node.part.atoms.size())]);
        } else if (has_few(node)) {
            const std::size_t i = below(node.start.size() - 1);
            for (std::int64_t k = node.start[i]; k < node.start[i + 1]; ++k) {
                include(node.sets[as_size(k)]);
            }
        } else {
            if (!node.counter) {
                node.counter = std::make_unique<Counter>(node.part, false, runner_, budget_);
                keep(node, node.counter->bytes());
            }
            Way* way = nullptr;
            if (node.counter->is_short()) {
                way = &draw_first(node);
            } else if (!node.decision) {
                make_tree(node);
            }
            agenda_.push_back({&node, true, way, set_.size(), checks_.size()});
            take(way != nullptr ? *way : decided(*node.decision));
        }
    }

    // Decides which atom is the first that is in.
    Way& draw_first(Node& node) {
        Counter& counter = *node.counter;
        const Natural draw = random_.below(counter.count());
        // without(low) > draw >= without(high); the first is mostly among the first few
        std::size_t low = 0, high = counter.order.size();
        for (std::size_t step = 1; high - low > 1;) {
            const bool near = low + step < high && step != 0;
            const std::size_t middle = near ? low + step : low + (high - low) / 2;
            if (less(draw, counter.without(middle, runner_, budget_))) {
                low = middle;
                step *= 2;
            } else {
                high = middle;
                step = 0;
            }
        }
        Way& way = counter.ways[low];
        if (way.members.empty()) {
            Vector<char> out(counter.order.size());
            for (std::size_t i = 0; i < low; ++i) out[as_size(counter.order[i])] = 1;
            follow(way, node.part, counter.order[low], out);
            keep_more(bytes_left(node.part));
        }
        return way;
    }

    // Decides in the largest components first, until all are much smaller than the root.
    void make_tree(Node& root) {
        constexpr int kMostDecisions = 20;
        const std::int64_t small = root.part.clauses.size() / 2;
        const auto is_smaller = [](const Node* a, const Node* b) {
            return a->part.clauses.size() < b->part.clauses.size();
        };
        keep(root, 0);
        Vector<Node*> leaves = {&root};
        for (int i = 0; i < kMostDecisions && !leaves.empty(); ++i) {
            std::pop_heap(leaves.begin(), leaves.end(), is_smaller);
            Node& node = *leaves.back();
            if (node.part.clauses.size() <= small) break;
            leaves.pop_back();
            decide(node);
            node.is_leaf = &node == &root;
            for (Way* way : {&node.decision->out, &node.decision->in}) {
                for (Node& child : way->nodes) {
                    leaves.push_back(&child);
                    std::push_heap(leaves.begin(), leaves.end(), is_smaller);
                }
            }
        }
        weigh(*root.decision);
    }

    // Decides the atom that is in many and long clauses.
    void decide(Node& node) {
        budget_.look();
        const ClauseSet& clauses = node.part.clauses;
        Vector<std::int64_t> score = degrees(clauses);
        Vector<std::int64_t> met(score.size());
        for (std::int64_t c = 0; c < clauses.size(); ++c) {
            std::for_each(begin_of(clauses, c), begin_of(clauses, c + 1),
                          [&](std::int32_t a) { met[as_size(a)] += size_of(clauses, c); });
        }
        std::int32_t atom = 0;
        for (std::int32_t a = 0; a < clauses.n_atoms; ++a) {
            score[as_size(a)] *= met[as_size(a)];
            if (std::pair(score[as_size(a)], scattered(a)) >
                std::pair(score[as_size(atom)], scattered(atom))) {
                atom = a;
            }
        }
        node.decision = std::make_unique<Decision>();
        Vector<char> out(score.size());
        follow(node.decision->in, node.part, atom, out);
        out[as_size(atom)] = 1;
        follow(node.decision->out, node.part, kNone, out);
        keep_more(bytes_left(node.part));
    }

    void weigh(Decision& decision) {
        for (Way* way : {&decision.out, &decision.in}) {
            Vector<Natural> weights;
            for (Node& node : way->nodes) {
                weigh(node);
                weights.push_back(node.weight);
            }
            way->weight = product(std::move(weights));
        }
    }

    void weigh(Node& node) {
        if (!node.is_leaf) {
            weigh(*node.decision);
            node.weight = add(node.decision->out.weight, node.decision->in.weight);
            node.part = {};
        } else if (is_single_clause(node.part)) {
            node.weight = {node.part.atoms.size()};
        } else if (has_few(node)) {
            node.weight = {node.start.size() - 1};
        } else {
            node.counter = std::make_unique<Counter>(node.part, true, runner_, budget_);
            node.weight = node.counter->count();
            keep_more(node.counter->bytes());
        }
    }

    bool has_few(Node& node) {
        if (!node.was_looked_at && node.part.clauses.size() <= Listing::kMostClauses) {
            Listing listing(node.part);
            listing.run(node);
            budget_.tick(100 * listing.steps());
        }
        node.was_looked_at = true;
        return !node.sets.empty();
    }

    // The way on which the atom `in` is in (or none) and those of `out` are out.
    void follow(Way& way, const Component& part, std::int32_t in, const Vector<char>& out) {
        const auto is_left = [&](std::int32_t a) { return out[as_size(a)] == 0; };
        ClauseSet left;
        left.n_atoms = part.clauses.n_atoms;
        Vector<char> is_changed;
        if (in != kNone) way.members.push_back(part.atoms[as_size(in)]);
        for (std::int64_t c = 0; c < part.clauses.size(); ++c) {
            const auto begin = begin_of(part.clauses, c), end = begin_of(part.clauses, c + 1);
            budget_.tick(10 * (end - begin));
            if (std::find(begin, end, in) != end) {
                Atoms& others = way.clauses.emplace_back();
                for (auto a = begin; a != end; ++a) {
                    if (*a != in && is_left(*a)) others.push_back(part.atoms[as_size(*a)]);
                }
                continue;
            }
            std::copy_if(begin, end, std::back_inserter(left.atom), is_left);
            is_changed.push_back(static_cast<std::int64_t>(left.atom.size()) - left.start.back() !=
                                 end - begin);
            left.start.push_back(static_cast<std::int64_t>(left.atom.size()));
        }
        leave(way, left, is_changed, part.atoms);
    }

    // What clauses leave: the atom of a unit clause is in, and what contains a changed clause goes.
    void leave(Way& way, const ClauseSet& clauses, const Vector<char>& is_changed,
               const Atoms& atoms) {
        const auto each = [&](std::int64_t c, const auto& visit) {
            std::for_each(begin_of(clauses, c), begin_of(clauses, c + 1), visit);
        };
        Vector<char> is_in(as_size(clauses.n_atoms));
        for (std::int64_t c = 0; c < clauses.size(); ++c) {
            const std::int32_t first = *begin_of(clauses, c);
            if (size_of(clauses, c) != 1 || is_in[as_size(first)] != 0) continue;
            is_in[as_size(first)] = 1;
            way.members.push_back(atoms[as_size(first)]);
        }
        Vector<char> goes(as_size(clauses.size()));
        Vector<Vector<std::int64_t>> clauses_of(as_size(clauses.n_atoms));
        for (std::int64_t c = 0; c < clauses.size(); ++c) {
            each(c, [&](std::int32_t a) { goes[as_size(c)] |= is_in[as_size(a)]; });
            if (goes[as_size(c)] != 0) continue;
            each(c, [&](std::int32_t a) { clauses_of[as_size(a)].push_back(c); });
        }
        Vector<char> is_marked(as_size(clauses.n_atoms));
        for (std::int64_t c = 0; c < clauses.size(); ++c) {
            if (is_changed[as_size(c)] == 0 || goes[as_size(c)] != 0) continue;
            std::int32_t rarest = *begin_of(clauses, c);
            each(c, [&](std::int32_t a) {
                is_marked[as_size(a)] = 1;
                if (clauses_of[as_size(a)].size() < clauses_of[as_size(rarest)].size()) rarest = a;
            });
            for (const std::int64_t d : clauses_of[as_size(rarest)]) {
                if (d == c || goes[as_size(d)] != 0 || size_of(clauses, d) < size_of(clauses, c)) {
                    continue;
                }
                std::int64_t common = 0;
                each(d, [&](std::int32_t a) { common += is_marked[as_size(a)]; });
                goes[as_size(d)] = common == size_of(clauses, c);
                budget_.tick(size_of(clauses, d));
            }
            each(c, [&](std::int32_t a) { is_marked[as_size(a)] = 0; });
        }
        ClauseSet left;
        left.n_atoms = clauses.n_atoms;
        for (std::int64_t c = 0; c < clauses.size(); ++c) {
            if (goes[as_size(c)] != 0) continue;
            each(c, [&](std::int32_t a) { left.atom.push_back(a); });
            left.start.push_back(static_cast<std::int64_t>(left.atom.size()));
        }
        auto parts = split_into_components(left, budget_);
        if (!parts) throw std::logic_error("a clause without atoms is left");
        for (Component& part : *parts) {
            for (std::int32_t& a : part.atoms) a = atoms[as_size(a)];
            way.nodes.emplace_back().part = std::move(part);
        }
    }

    // What is kept can be made again. It is forgotten in the opposite order: so what is shared by
    // many samples goes last, and nothing goes before what is within.
    struct Kept {
        Node* node;
        std::int64_t bytes;
    };
    void keep(Node& node, std::int64_t bytes) {
        kept_.push_back({&node, bytes});
        kept_bytes_ += bytes;
    }
    void keep_more(std::int64_t bytes) {
        kept_.back().bytes += bytes;
        kept_bytes_ += bytes;
    }
    // About what a way takes.
    static std::int64_t bytes_left(const Component& part) {
        return static_cast<std::int64_t>(40 * part.clauses.atom.size() + 1000);
    }
    void forget(std::int64_t most_bytes) {
        for (; kept_bytes_ > most_bytes; kept_.pop_back()) {
            kept_bytes_ -= kept_.back().bytes;
            kept_.back().node->decision.reset();
            kept_.back().node->counter.reset();
        }
    }

    static constexpr std::int32_t kNone = -1;

    Random random_;
    Budget& budget_;
    Runner runner_;
    Way all_;
    Vector<Kept> kept_;
    std::int64_t kept_bytes_ = 0;
    // Of the current sample:
    Vector<Entry> agenda_;
    Vector<const Way*> checks_;
    Atoms set_;
    Vector<char> is_member_;  // by atom
};

}  // namespace

Vector<Vector<std::int32_t>> sample(const ClauseSet& clauses, std::int64_t number,
                                    std::uint64_t seed, Budget& budget) {
    check(clauses);
    if (number < 0) throw std::invalid_argument("the number of samples is negative");
    for (std::int64_t c = 0; c < clauses.size(); ++c) {
        if (size_of(clauses, c) == 0) return {};
    }
    Sampler sampler(clauses, seed, budget);
    Vector<Vector<std::int32_t>> result;
    for (std::int64_t s = 0; s < number; ++s) result.push_back(sampler.draw());
    return result;
}

}  // namespace cattleya::counting
