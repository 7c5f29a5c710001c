// Small components, worked out at once instead of searched.
//
// Most nodes of a search are components of a few vertices, half of which have two values left, and
// most of whose factors look at two or three of them. There, to sum out every vertex in tables of
// all values of its neighbours takes some times as many multiplications as the search would write
// instructions (twice as many with 12 vertices, eight times with 24), but a multiplication in a
// loop costs a fiftieth of an instruction that has to be found and written. A few vertices with
// many neighbours are fixed first: all their values (lanes) are worked on beside each other, so the
// loops over lanes need no indices. Hard rows take a fifth of the time that they take without
// blocks, and a twentieth of the nodes.
//
// The search plans this from the structure alone, and writes a *block* into the program: a
// description of the component, with the slots of its tables. Those who want the count and its
// derivatives (dense_back.cpp) ask for blocks, and evaluate them (BlockMachine). Beside the ring
// they keep an enclosure of every value. It bounds the component's value, which then takes as few
// limbs as that bound allows: the ring modulo 2^64 is an image of the one modulo 2^(64 L). The
// numbers of most tables are small enough for doubles (lanes.hpp).
//
// A block, in words (* two of them, see block_number):
//     0, its length*, target, (vertices | fixed << 8 | factors << 16)*;
//     per vertex, in the order of summing out, those fixed last: weight, own table (3);
//     per factor: groups; per group its vertices as bits*; the table (3^groups).
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "counting/enclosure.hpp"
#include "counting/lanes.hpp"
#include "counting/machine.hpp"
#include "counting/program.hpp"
#include "counting/state.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

inline constexpr int kBlockVertices = 30;  // at most
// Numbers in all tables together up to which a component becomes a block. From 32,768 to 131,072 it
// makes little difference; with fewer, more is searched.
inline constexpr std::int64_t kBlockNumbers = 65536;

// The order in which the vertices of a small graph are summed out.
struct Plan {
    int vertices = 0;
    int fixed = 0;
    std::array<std::int8_t, kBlockVertices> order;  // those fixed last

    // near[v]: v and its neighbours; three: the vertices with three values. False: too costly.
    bool make(std::array<std::uint32_t, kBlockVertices>& near, std::uint32_t three, int n);

   private:
    bool sum_out(std::array<std::uint32_t, kBlockVertices> near, std::uint32_t three,
                 std::uint32_t left);
};

// Writes the component as a block if it is cheap enough; the slot with its value, else kZero.
template <class AnyState, class Vertices, class Factors>
Slot write_block(Emitter& emit, const AnyState& state, const Vertices& vertices,
                 const Factors& factors, std::int32_t* number) {
    std::array<std::uint32_t, kBlockVertices> near;
    std::array<std::int32_t, kBlockVertices> old;
    std::uint32_t three = 0;
    int n = 0;
    vertices.for_each([&](int v) {
        number[v] = n;
        old[static_cast<std::size_t>(n)] = v;
        near[static_cast<std::size_t>(n)] = 0;
        const Slot* own = state.own[v];
        if (own[0] != kZero && own[1] != kZero && own[2] != kZero) three |= std::uint32_t{1} << n;
        ++n;
    });
    int count = 0;
    factors.for_each([&](int f) {
        ++count;
        std::uint32_t scope = 0;
        for (int g = 0; g < state.groups[f]; ++g) {
            state.group[f][g].for_each([&](int v) { scope |= std::uint32_t{1} << number[v]; });
        }
        for (std::uint32_t rest = scope; rest != 0; rest &= rest - 1) {
            near[static_cast<std::size_t>(std::countr_zero(rest))] |= scope;
        }
    });
    Plan plan;
    if (!plan.make(near, three, n)) return kZero;
    const Slot target = emit.start_block();
    emit.add_number(static_cast<std::uint32_t>(n | plan.fixed << 8 | count << 16));
    for (int i = 0; i < n; ++i) {
        const std::int32_t v =
            old[static_cast<std::size_t>(plan.order[static_cast<std::size_t>(i)])];
        number[v] = i;
        emit.block_word(state.weight[v]);
        for (int x = 0; x < 3; ++x) emit.block_word(state.own[v][x]);
    }
    factors.for_each([&](int f) {
        const int groups = state.groups[f];
        emit.block_word(static_cast<std::uint32_t>(groups));
        for (int g = 0; g < groups; ++g) {
            std::uint32_t members = 0;
            state.group[f][g].for_each([&](int v) { members |= std::uint32_t{1} << number[v]; });
            emit.add_number(members);
        }
        for (int i = 0; i < power_of_three(groups); ++i) emit.block_word(state.table[f][i]);
    });
    emit.end_block();
    return target;
}

// Runs programs with blocks, beside an enclosure of every value.
class BlockMachine {
   public:
    explicit BlockMachine(int limbs) : ring(limbs) {}

    void reserve(Slot slots) {
        ring.reserve(slots);
        enclosure.reserve(slots);
    }
    // These do as their namesakes of the ring do, and take blocks as instructions.
    const std::uint32_t* run(const std::uint32_t* code, const std::uint32_t* stop, Budget& budget);
    void start_log(std::size_t words);
    const std::uint32_t* run_logged(const std::uint32_t* base, const std::uint32_t* code,
                                    const std::uint32_t* stop, Budget& budget);
    bool run_back(const std::uint32_t* base, std::size_t count, Budget& budget);

    // From now on run keeps what comes out of blocks, until it is taken, in so many bytes at most
    // altogether. Given to a machine of as many limbs or fewer, that spares run_logged the first
    // blocks that it comes to.
    void keep_outcomes(std::int64_t bytes) { room_ = bytes; }
    Vector<Limb> take_outcomes() { return std::exchange(kept_, {}); }
    void give_outcomes(Vector<Limb> outcomes, int limbs) {
        given_ = std::move(outcomes);
        given_limbs_ = limbs;
        next_given_ = 0;
    }

    Machine ring;
    EnclosureMachine enclosure;

   private:
    // The tables of a block: the factors, and what comes out of every step. An entry is a number
    // for every lane, that is, for the values of the fixed vertices in the scope.
    struct Table {
        std::uint32_t scope;
        std::uint32_t lanes;
        std::uint32_t start;  // its first entry, among all
        std::uint32_t size;
        std::uint32_t made_for;  // the fixed vertices in its scope before it was given more lanes
        double bound = 0;        // of all its numbers
        int limbs = 0;           // of each; or kReal
        std::size_t place = 0;
        std::size_t unweighted = 0;  // a copy from before the weights were multiplied in
        std::size_t adjoint = 0;     // the derivatives by its numbers
    };
    struct Source {
        const std::uint32_t* table;  // slots
        int size;
        std::uint32_t start;  // in index_: where an entry's numbers are in the table
    };
    // Tables are multiplied, and a vertex summed out where there is one (else -1). The entries are
    // found through offsets.
    struct Step {
        int vertex;
        std::uint32_t first, tables;  // of inputs_
        std::uint32_t offsets;        // of the first input; one for every entry of the result
        std::uint32_t result;
    };

    void read_shape(const std::uint32_t* block);
    void read_block(const std::uint32_t* block);
    void run_block(const std::uint32_t* block, Budget& budget);
    void sum_out(bool keep, Budget& budget);
    void expand_factor(const std::uint32_t* groups, int n_groups);
    void plan_steps(int v);
    void plan_step(int v, std::size_t tables);
    std::uint32_t size_of(std::uint32_t scope) const;
    std::uint32_t free_vertices() const;
    std::uint32_t fixed_vertices() const;
    double most(Slot s) const;
    double bound();
    int limbs_within(double bound) const;
    // The numbers of the tables, and room for some more, of one type.
    template <class Number>
    struct Store {
        Vector<Number> numbers;
        std::size_t used = 0;
        Vector<Number> weights;
        Vector<Number> product;
        Vector<Number*> multiplied;  // the tables of a step

        Number* at(std::size_t place) { return numbers.data() + place; }
        std::size_t take(std::size_t count) {
            const std::size_t place = used;
            used += count;
            if (numbers.size() < used) numbers.resize(used + used / 4);
            return place;
        }
    };
    template <class Number>
    Store<Number>& store() {
        if constexpr (std::is_same_v<Number, double>) {
            return reals_;
        } else {
            return whole_;
        }
    }
    template <class Number>
    void read(Slot s, Number* to, std::size_t width) const;
    std::uint32_t find_lanes(std::uint32_t scope, std::uint32_t had, std::uint32_t* lane) const;
    void widen(Table& table, int limbs, std::uint32_t scope);
    template <class From, class To>
    void copy_wider(Table& table, int limbs, const std::uint32_t* lane, std::uint32_t lanes);
    template <class Number>
    void load(std::size_t s);
    template <class InRing>
    void load_weights(InRing& of, int v);
    template <class InRing>
    void scale_entries(InRing& of, typename InRing::Number* t, std::size_t size,
                       std::uint32_t domain, const typename InRing::Number* weights);
    template <class InRing>
    void multiply(InRing of, const Step& step, bool keep);
    template <class InRing>
    void multiply_fixed(InRing of);
    void finish(const Limb* value, int limbs);
    void finish(const double* value, int limbs);
    void set_outcome(const Limb* value, int limbs, const EnclosureMachine::Cell& cell);

    // Backward, in dense_back.cpp.
    int limbs_of_derivatives() const;
    void block_back(const std::uint32_t* block, int limbs, Budget& budget);
    template <class InRing>
    void fixed_back(InRing of);
    template <class InRing>
    void step_back(InRing of, const Step& step);
    template <class InRing>
    void factor_back(InRing of, std::size_t s);
    template <class InRing>
    typename InRing::Number* adjoint_as_made(InRing& of, const Table& table);
    template <class InRing>
    void weights_back(InRing& of, int v, const typename InRing::Number* by_weight);
    void keep_outcome();
    bool use_outcome();
    void hand_on(Slot s, const Limb* derivative, int limbs);
    void hand_on(Slot s, const double* derivative, int limbs);

    int vertices_ = 0;
    int fixed_ = 0;  // how many of them
    int factors_ = 0;
    Slot target_ = 0;
    double bound_ = 0;  // of the last block that was run
    const std::uint32_t* own_ = nullptr;
    std::array<std::array<std::uint8_t, 3>, kBlockVertices> values_;  // that the vertex can have
    std::array<std::uint32_t, kBlockVertices> domain_;                // how many
    Vector<Source> sources_;
    Vector<std::uint8_t> index_;
    Vector<Table> tables_;
    Vector<Step> steps_;
    Vector<std::uint32_t> inputs_;
    Vector<std::uint32_t> offsets_;
    std::uint32_t entries_ = 0;
    Vector<double> bounds_;  // by entry, of all lanes
    Store<Limb> whole_;
    Store<double> reals_;
    Vector<std::uint32_t> candidates_;  // tables that a step may multiply
    std::int64_t room_ = 0;
    Vector<Limb> kept_;  // by block: its value, its cell and its bound
    Vector<Limb> given_;
    int given_limbs_ = 0;
    std::size_t next_given_ = 0;
    Vector<int> back_limbs_;  // by block in the log
    Vector<Limb> adjoint_;    // of the target
    Vector<Limb> handed_on_;
    Vector<std::pair<Slot, double>> waiting_;  // derivatives that are to be handed on
};

// to := the number in the slot, as far as it fits. What is read as a double is known to be small.
template <class Number>
void BlockMachine::read(Slot s, Number* to, std::size_t width) const {
    if constexpr (std::is_same_v<Number, double>) {
        *to = static_cast<double>(static_cast<std::int64_t>(*ring.value(s)));
    } else {
        std::copy_n(ring.value(s), width, to);
    }
}

// weights[k] := what the k-th value of v weighs.
template <class InRing>
void BlockMachine::load_weights(InRing& of, int v) {
    using Number = typename InRing::Number;
    const auto u = static_cast<std::size_t>(v);
    const std::uint32_t* own = own_ + 4 * v;
    const std::size_t width = of.width();
    Vector<Number>& weights = store<Number>().weights;
    weights.resize(4 * width);
    Number* const weight = weights.data() + 3 * width;
    read(own[0], weight, width);
    for (std::uint32_t k = 0; k < domain_[u]; ++k) {
        const int x = values_[u][k];
        Number* const at = weights.data() + k * width;
        read(own[1 + x], at, width);
        if (x == 0) continue;
        of.multiply_one(at, at, weight);
        if (x == 2) continue;
        of.negate_one(at);
    }
}

}  // namespace cattleya::counting
