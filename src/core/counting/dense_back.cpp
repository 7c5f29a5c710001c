// Backward through a block: the derivatives of its value by all that it reads.
//
// The tables are made once more, and all are kept; then the steps are undone, last first, each
// table with the derivatives by its numbers. All this is done for a target whose derivative is one:
// then a derivative is a number of the block alone, and as bounded as its value. So few limbs are
// enough, the same for all tables; what passes out of the block is multiplied by the target's
// derivative, in the ring of the whole program.
//
// The bound. Let P be the sum of the sizes of all products that the block sums up, as a polynomial
// in the sizes of the numbers it reads, and m at least as large as each of them and as one. As no
// number occurs more often in a product than its degree d, its derivative is at most m dP/dm <= d
// P(m).
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "counting/dense.hpp"
#include "counting/reals.hpp"

namespace cattleya::counting {
namespace {

constexpr std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void BlockMachine::start_log(std::size_t words) {
    ring.start_log(words);
    back_limbs_.clear();
}

const std::uint32_t* BlockMachine::run_logged(const std::uint32_t* base, const std::uint32_t* code,
                                              const std::uint32_t* stop, Budget& budget) {
    while (code < stop) {
        if (*code == 0) {
            ring.log_block(base, code);
            read_shape(code);
            if (!use_outcome()) run_block(code, budget);
            back_limbs_.push_back(limbs_of_derivatives());
            code += block_number(code + 1);
            continue;
        }
        enclosure.run(code, stop);
        code = ring.run_logged(base, code, stop);
    }
    return code;
}

bool BlockMachine::run_back(const std::uint32_t* base, std::size_t count, Budget& budget) {
    const bool left = ring.run_back(base, count);
    if (const std::uint32_t* const block = ring.unlog_block(base)) {
        read_shape(block);
        Limb* const by_target = ring.adjoint(target_);
        adjoint_.assign(by_target, by_target + ring.limbs());
        std::fill_n(by_target, ring.limbs(), Limb{0});
        block_back(block, back_limbs_.back(), budget);
        back_limbs_.pop_back();
    }
    return left;
}

// After run_block.
void BlockMachine::keep_outcome() {
    const std::size_t words = as_size(ring.limbs()) + 3;
    if (room_ < static_cast<std::int64_t>(words * sizeof(Limb))) {
        room_ = 0;  // no later one, either
        return;
    }
    room_ -= static_cast<std::int64_t>(words * sizeof(Limb));
    const Limb* const value = ring.value(target_);
    kept_.insert(kept_.end(), value, value + ring.limbs());
    const EnclosureMachine::Cell& cell = enclosure.cell(target_);
    for (const double number : {cell.value, cell.error, bound_}) {
        kept_.push_back(std::bit_cast<Limb>(number));
    }
}

// Instead of run_block, where there still is one.
bool BlockMachine::use_outcome() {
    if (next_given_ == given_.size()) return false;
    const Limb* const value = given_.data() + next_given_;
    std::copy_n(value, ring.limbs(), ring.value(target_));
    const auto number = [&](int i) { return std::bit_cast<double>(value[given_limbs_ + i]); };
    enclosure.set(target_, {number(0), number(1)});
    bound_ = number(2);
    next_given_ += as_size(given_limbs_) + 3;
    return true;
}

int BlockMachine::limbs_of_derivatives() const {
    const double degree = 2.0 * vertices_ + factors_;
    return limbs_within(bound_ * degree);
}

void BlockMachine::block_back(const std::uint32_t* block, int limbs, Budget& budget) {
    read_block(block);
    waiting_.clear();
    for (Table& table : tables_) table.limbs = limbs;
    sum_out(true, budget);
    for (Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) widen(table, limbs, fixed_vertices());
    }
    in_ring(limbs, size_of(fixed_vertices()), [&](auto of) {
        auto& in = store<typename decltype(of)::Number>();
        const std::size_t begin = in.used;
        for (Table& table : tables_) {
            table.adjoint = in.take(as_size(table.size) * table.lanes * of.width());
        }
        std::fill(in.at(begin), in.at(in.used), 0);
        fixed_back(std::move(of));
    });
    const std::int64_t width = std::max(limbs, 1);
    for (std::size_t i = steps_.size(); i-- > 0;) {
        const Step& step = steps_[i];
        const Table& to = tables_[step.result];
        const std::uint32_t lanes = size_of(to.made_for);
        budget.tick(std::int64_t{2} * to.size * lanes * step.tables * width * width);
        in_ring(limbs, lanes, [&](auto of) { step_back(std::move(of), step); });
    }
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        in_ring(limbs, size_of(tables_[s].made_for), [&](auto of) { factor_back(of, s); });
    }
    budget.tick(std::int64_t{200} * vertices_);
    // The bound leaves out products with a factor that is zero by structure. What they are made of
    // may have been too large for doubles.
    const bool fits = std::all_of(waiting_.begin(), waiting_.end(),
                                  [](const auto& by) { return std::fabs(by.second) < 0x1p53; });
    if (!fits) return block_back(block, 1, budget);
    for (const auto& [slot, derivative] : waiting_) {
        const auto number = static_cast<Limb>(static_cast<std::int64_t>(derivative));
        hand_on(slot, &number, 1);
    }
}

// From the sum over the lanes to the tables that are left, and to the weights of the fixed
// vertices: every one gets the product of all others.
template <class InRing>
void BlockMachine::fixed_back(InRing of) {
    using Number = typename InRing::Number;
    Store<Number>& in = store<Number>();
    const std::size_t entry = of.entry();
    const std::size_t width = of.width();
    Vector<std::size_t> places;
    for (const Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) places.push_back(table.place);
    }
    const std::size_t left = places.size();
    std::size_t below = 1;
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        load_weights(of, v);
        places.push_back(in.take(entry));
        Number* to = in.at(places.back());
        for (std::size_t l = 0; l < entry / width; ++l, to += width) {
            std::copy_n(in.weights.data() + l / below % domain_[as_size(v)] * width, width, to);
        }
        below *= domain_[as_size(v)];
    }
    // The products of those before each, and of those after it.
    const std::size_t before = in.take((places.size() + 2) * entry);
    Number* so_far = in.at(before);
    Number* const after = so_far + (places.size() + 1) * entry;
    for (Number* one : {so_far, after}) {
        std::fill_n(one, entry, Number{0});
        for (std::size_t i = 0; i < entry; i += width) one[i] = 1;
    }
    for (const std::size_t place : places) {
        of.multiply(so_far + entry, so_far, in.at(place));
        so_far += entry;
    }
    std::size_t t = tables_.size();
    for (std::size_t i = places.size(); i-- > 0;) {
        so_far -= entry;
        if (i >= left) {
            const int v = vertices_ - fixed_ + static_cast<int>(i - left);
            of.multiply(so_far, so_far, after);
            below /= domain_[as_size(v)];
            Vector<Number> by_weight(3 * width);
            for (std::size_t l = 0; l < entry / width; ++l) {
                of.accumulate_one(by_weight.data() + l / below % domain_[as_size(v)] * width,
                                  so_far + l * width);
            }
            weights_back(of, v, by_weight.data());
        } else {
            do {
                --t;
            } while ((tables_[t].scope & free_vertices()) != 0);
            of.multiply(in.at(tables_[t].adjoint), so_far, after);
        }
        of.multiply(after, after, in.at(places[i]));
    }
}

// The derivatives by the numbers of a table as they were before it was given more lanes.
template <class InRing>
typename InRing::Number* BlockMachine::adjoint_as_made(InRing& of, const Table& table) {
    using Number = typename InRing::Number;
    Store<Number>& in = store<Number>();
    const std::uint32_t lanes = size_of(table.made_for);
    if (lanes == table.lanes) return in.at(table.adjoint);
    std::uint32_t lane[kMostLanes];
    find_lanes(table.scope & ~free_vertices(), table.made_for, lane);
    const std::size_t size = table.size * of.entry();
    const std::size_t place = in.take(size);
    Number* to = in.at(place);
    std::fill_n(to, size, Number{0});
    const Number* from = in.at(table.adjoint);
    for (std::uint32_t e = 0; e < table.size; ++e, to += of.entry()) {
        for (std::uint32_t l = 0; l < table.lanes; ++l, from += of.width()) {
            of.accumulate_one(to + lane[l] * of.width(), from);
        }
    }
    return in.at(place);
}

template <class InRing>
void BlockMachine::step_back(InRing of, const Step& step) {
    using Number = typename InRing::Number;
    Store<Number>& in = store<Number>();
    const std::size_t entry = of.entry();
    const std::size_t width = of.width();
    const Table& to = tables_[step.result];
    const bool sums = step.vertex >= 0;
    const std::uint32_t domain = sums ? domain_[as_size(step.vertex)] : 1;
    // The products of the first tables, and of the derivative with the last ones.
    const std::size_t room = in.take((step.tables + 2) * entry);
    const Number* by_result = adjoint_as_made(of, to);
    Number* const firsts = in.at(room);
    Number* const lasts = firsts + step.tables * entry;
    Vector<Number*>& adjoints = in.multiplied;
    adjoints.resize(2 * step.tables);
    Number** const inputs = adjoints.data() + step.tables;
    for (std::uint32_t i = 0; i < step.tables; ++i) {
        const Table& from = tables_[inputs_[step.first + i]];
        adjoints[i] = in.at(from.adjoint);
        inputs[i] = in.at(from.place);
    }
    std::uint32_t size = to.size;
    if constexpr (std::is_same_v<Number, double>) {
        if (step.tables == 2) {
            const std::uint32_t* const offset = offsets_.data() + step.offsets;
            sum_products_back(by_result, {size, domain, entry}, {inputs[0], offset},
                              {inputs[1], offset + size}, adjoints[0], adjoints[1]);
            size = 0;
        }
    }
    for (std::uint32_t e = 0; e < size; ++e, by_result += entry) {
        const std::uint32_t* offset = offsets_.data() + step.offsets + e;
        for (std::uint32_t k = 0; k < domain; ++k) {
            const auto at = [&](std::uint32_t i) {
                return (offset[as_size(i) * to.size] + k) * entry;
            };
            const Number* first = inputs[0] + at(0);
            for (std::uint32_t i = 1; i + 1 < step.tables; ++i) {
                of.multiply(firsts + i * entry, i == 1 ? first : firsts + (i - 1) * entry,
                            inputs[i] + at(i));
            }
            if (step.tables == 1) {
                of.accumulate(adjoints[0] + at(0), by_result);
                continue;
            }
            const Number* last = by_result;
            for (std::uint32_t i = step.tables - 1; i > 1; --i) {
                of.accumulate_product(adjoints[i] + at(i), last, firsts + (i - 1) * entry);
                of.multiply(lasts + i % 2 * entry, last, inputs[i] + at(i));
                last = lasts + i % 2 * entry;
            }
            of.accumulate_product(adjoints[1] + at(1), last, first);
            of.accumulate_product(adjoints[0] + at(0), last, inputs[1] + at(1));
        }
    }
    if (!sums) return;
    load_weights(of, step.vertex);
    Vector<Number> by_weight(3 * width);
    const Table& least = tables_[inputs_[step.first]];
    const Number* number = in.at(least.unweighted);
    Number* adjoint = adjoints[0];
    if constexpr (std::is_same_v<Number, double>) {
        scale_back(adjoint, number, {least.size, domain, entry}, in.weights.data(),
                   by_weight.data());
    } else {
        for (std::uint32_t e = 0; e < least.size; ++e) {
            const std::size_t k = e % domain * width;
            for (std::size_t l = 0; l < entry; l += width, adjoint += width, number += width) {
                of.accumulate_product_one(by_weight.data() + k, adjoint, number);
                of.multiply_one(adjoint, adjoint, in.weights.data() + k);
            }
        }
    }
    weights_back(of, step.vertex, by_weight.data());
}

template <class InRing>
void BlockMachine::factor_back(InRing of, std::size_t s) {
    using Number = typename InRing::Number;
    const std::size_t width = of.width();
    const Table& table = tables_[s];
    const Number* from = adjoint_as_made(of, table);
    const std::uint8_t* const index = index_.data() + sources_[s].start;
    Vector<Number> sums(kTableSize * width);
    const std::size_t count = table.size * of.entry() / width;
    for (std::size_t i = 0; i < count; ++i, from += width) {
        of.accumulate_one(sums.data() + index[i] * width, from);
    }
    for (int i = 0; i < sources_[s].size; ++i) {
        hand_on(sources_[s].table[i], sums.data() + as_size(i) * width, of.limbs());
    }
}

// From what the values of v weigh to its weight and its own table.
template <class InRing>
void BlockMachine::weights_back(InRing& of, int v, const typename InRing::Number* by_weight) {
    using Number = typename InRing::Number;
    const std::uint32_t* own = own_ + 4 * v;
    Vector<Number> number(2 * of.width());
    Number* const product = number.data();
    Number* const factor = product + of.width();
    for (std::uint32_t k = 0; k < domain_[as_size(v)]; ++k, by_weight += of.width()) {
        const int x = values_[as_size(v)][k];
        if (x == 0) {
            hand_on(own[1], by_weight, of.limbs());
            continue;
        }
        for (const auto& [by, other] : {std::pair{own[0], own[1 + x]}, {own[1 + x], own[0]}}) {
            read(other, factor, of.width());
            of.multiply_one(product, by_weight, factor);
            if (x == 1) of.negate_one(product);
            hand_on(by, product, of.limbs());
        }
    }
}

// Adds the target's derivative times this to that by a slot.
void BlockMachine::hand_on(Slot s, const Limb* derivative, int limbs) {
    if (s < kFirstInput) return;
    const Limb sign = Limb{0} - (derivative[limbs - 1] >> 63);
    handed_on_.assign(as_size(ring.limbs()), sign);
    std::copy_n(derivative, limbs, handed_on_.data());
    Ring<0>(ring.limbs()).accumulate_product(ring.adjoint(s), adjoint_.data(), handed_on_.data());
}
void BlockMachine::hand_on(Slot s, const double* derivative, int) {
    if (s >= kFirstInput) waiting_.push_back({s, *derivative});
}

}  // namespace cattleya::counting
