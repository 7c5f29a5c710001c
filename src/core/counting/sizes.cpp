// Counting by size: the same program with the weight t for every atom, evaluated on polynomials in
// t.
//
// The coefficient of t^s of the result is the number of minimal hitting sets of size s. The
// coefficients live in the ring of ring.hpp with room for the bound of the count, which no
// coefficient exceeds. The deep parts of the program are about a few vertices, so most polynomials
// are short, and their coefficients small: they are kept without their zeros at both ends, and with
// the limbs that their coefficients take as signed integers. What comes out of an operation is the
// integer itself where it fits in the ring, and reduced modulo the ring where it does not, so it is
// right modulo the ring in either case. (Evaluating at as many points as there may be sizes, modulo
// primes, and interpolating would cost every instruction the full number of points.)
//
// Small components are searched, not worked out in tables as for counts (dense.hpp): there
// polynomials have some forty coefficients, so that a table takes a thousand multiplications for
// each number. That took five to ten times as long as the search.
#include <algorithm>
#include <bit>

#include "counting/bound.hpp"
#include "counting/evaluate.hpp"
#include "counting/program.hpp"
#include "counting/ring.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

class PolynomialMachine {
   public:
    PolynomialMachine(int limbs, Budget& budget)
        : limbs_(limbs), seen_(static_cast<std::size_t>(limbs)), budget_(budget) {}

    void reserve(Slot slots) {
        if (cells_.size() < slots) cells_.resize(std::size_t{slots} + slots / 2);
    }
    // slot := t^power
    void set_power(Slot s, int power) {
        cells_[s].low = power;
        cells_[s].coefficients.assign(1, 1);
    }

    void run(const std::uint32_t* code, const std::uint32_t* end) {
        while (code != end) {
            const Slot target = *code & kTargetMask;
            switch (static_cast<Operation>(*code >> kTargetBits)) {
                case Operation::add:
                    start_sum(sum_, cells_[code[1]], cells_[code[2]].bits);
                    accumulate(sum_, cells_[code[2]], false);
                    code += 3;
                    break;
                case Operation::mul: {
                    const Polynomial& a = cells_[code[1]];
                    const Polynomial& b = cells_[code[2]];
                    sum_.coefficients.clear();
                    sum_.width = width_for(product_bits(a, b));
                    accumulate_product(sum_, a, b);
                    code += 3;
                    break;
                }
                case Operation::fma: {
                    const Polynomial& a = cells_[code[2]];
                    const Polynomial& b = cells_[code[3]];
                    start_sum(sum_, cells_[code[1]], product_bits(a, b));
                    accumulate_product(sum_, a, b);
                    code += 4;
                    break;
                }
                case Operation::affine: {
                    start_sum(difference_, cells_[code[3]], cells_[code[4]].bits);
                    accumulate(difference_, cells_[code[4]], true);
                    trim(difference_);
                    const Polynomial& a = cells_[code[2]];
                    start_sum(sum_, cells_[code[1]], product_bits(a, difference_));
                    accumulate_product(sum_, a, difference_);
                    code += 5;
                    break;
                }
            }
            trim(sum_);
            std::swap(cells_[target], sum_);
        }
    }

    Vector<Natural> result(Slot s) const {
        const Polynomial& cell = cells_[s];
        Vector<Limb> room;
        const Limb* at = widen(cell, limbs_, room);
        Vector<Natural> by_size(as_size(cell.low));
        for (int i = 0; i < length(cell); ++i, at += limbs_) {
            by_size.push_back(natural_from(at, limbs_));
        }
        return by_size;
    }

   private:
    // Signed coefficients of `width` limbs each, none above 2^bits in size; none at all for the
    // zero polynomial.
    struct Polynomial {
        int low = 0;  // the power of the first coefficient
        int width = 1;
        int bits = 0;
        Vector<Limb> coefficients;
    };

    static std::size_t as_size(int n) { return static_cast<std::size_t>(n); }
    static int length(const Polynomial& p) {
        return static_cast<int>(p.coefficients.size() / as_size(p.width));
    }
    static Limb sign_of(Limb highest) { return Limb{0} - (highest >> 63); }

    // Limbs for signed numbers of at most 2^bits; no more than the ring has.
    int width_for(int bits) const { return std::min(limbs_, (bits + 65) / 64); }
    static int product_bits(const Polynomial& a, const Polynomial& b) {
        const int terms = std::min(length(a), length(b));
        return a.bits + b.bits + std::bit_width(static_cast<unsigned>(std::max(terms, 1) - 1));
    }

    // The coefficients of p with so many limbs each, which are no fewer; in `room` where they have
    // to be written out.
    static const Limb* widen(const Polynomial& p, int width, Vector<Limb>& room) {
        if (width == p.width) return p.coefficients.data();
        room.resize(as_size(length(p)) * as_size(width));
        Limb* at = room.data();
        for (const Limb *from = p.coefficients.data(), *end = from + p.coefficients.size();
             from != end; from += p.width, at += width) {
            std::copy_n(from, p.width, at);
            std::fill_n(at + p.width, width - p.width, sign_of(from[p.width - 1]));
        }
        return room.data();
    }
    // sum := p, with room for the sum of p and something of at most 2^bits
    void start_sum(Polynomial& sum, const Polynomial& p, int bits) const {
        sum.low = p.low;
        sum.width = width_for(std::max(p.bits, bits) + 1);
        if (sum.width == p.width) {
            sum.coefficients = p.coefficients;
        } else {
            widen(p, sum.width, sum.coefficients);
        }
    }

    // Makes room for the powers from `low` to below `high`.
    static void cover(Polynomial& p, int low, int high) {
        if (p.coefficients.empty()) {
            p.low = low;
            p.coefficients.assign(as_size(high - low) * as_size(p.width), 0);
            return;
        }
        if (low < p.low) {
            p.coefficients.insert(p.coefficients.begin(), as_size(p.low - low) * as_size(p.width),
                                  0);
            p.low = low;
        }
        const std::size_t wanted = as_size(high - p.low) * as_size(p.width);
        if (p.coefficients.size() < wanted) p.coefficients.resize(wanted, 0);
    }
    // p += q or p -= q
    void accumulate(Polynomial& p, const Polynomial& q, bool negative) {
        if (q.coefficients.empty()) return;
        cover(p, q.low, q.low + length(q));
        const Limb* from = widen(q, p.width, first_);
        const Limb* const end = from + as_size(length(q)) * as_size(p.width);
        Limb* at = p.coefficients.data() + as_size(q.low - p.low) * as_size(p.width);
        if (p.width == 1) {
            for (; from != end; ++from, ++at) *at += negative ? 0 - *from : *from;
            return;
        }
        const Ring<0> ring(p.width);
        for (; from != end; from += p.width, at += p.width) {
            if (negative) {
                ring.diminish(at, from);
            } else {
                ring.accumulate(at, from);
            }
        }
    }
    // p += a b
    void accumulate_product(Polynomial& p, const Polynomial& a, const Polynomial& b) {
        if (a.coefficients.empty() || b.coefficients.empty()) return;
        const int low = a.low + b.low;
        cover(p, low, low + length(a) + length(b) - 1);
        Limb* const at = p.coefficients.data() + as_size(low - p.low) * as_size(p.width);
        budget_.tick(std::int64_t{length(a)} * length(b) * p.width * p.width);
        if (p.width == 2 && a.width == 1 && b.width == 1) {
            multiply_single(at, a.coefficients, b.coefficients);
            return;
        }
        const Limb* const one = widen(a, p.width, first_);
        const Limb* const other = widen(b, p.width, second_);
        switch (p.width) {
            case 1:
                return multiply<1>(at, one, length(a), other, length(b), 1);
            case 2:
                return multiply<2>(at, one, length(a), other, length(b), 2);
            case 3:
                return multiply<3>(at, one, length(a), other, length(b), 3);
            case 4:
                return multiply<4>(at, one, length(a), other, length(b), 4);
            default:
                return multiply<0>(at, one, length(a), other, length(b), p.width);
        }
    }
    // at += a b, all with so many limbs
    template <int N>
    static void multiply(Limb* at, const Limb* a, int a_length, const Limb* b, int b_length,
                         int limbs) {
        const Ring<N> ring(limbs);
        for (int i = 0; i < a_length; ++i, a += ring.limbs(), at += ring.limbs()) {
            for (int j = 0; j < ring.limbs() * b_length; j += ring.limbs()) {
                if constexpr (N == 1) {
                    at[j] += *a * b[j];
                } else {
                    ring.accumulate_product(at + j, a, b + j);
                }
            }
        }
    }
    // The same for factors of one limb and a product of two.
    static void multiply_single(Limb* at, const Vector<Limb>& a, const Vector<Limb>& b) {
        __extension__ using Signed = __int128;
        for (const Limb x : a) {
            Limb* to = at;
            for (const Limb y : b) {
                const Signed product =
                    Signed{static_cast<std::int64_t>(x)} * static_cast<std::int64_t>(y);
                const DoubleLimb sum =
                    (DoubleLimb{to[1]} << 64 | to[0]) + static_cast<DoubleLimb>(product);
                *to++ = static_cast<Limb>(sum);
                *to++ = static_cast<Limb>(sum >> 64);
            }
            at += 2;
        }
    }

    // Drops the zeros at both ends, measures what is left, and keeps no more limbs than it needs.
    void trim(Polynomial& p) {
        if (p.width == 1) {
            trim_single(p);
            return;
        }
        const auto width = as_size(p.width);
        const auto zero = [&](std::size_t i) {
            return std::all_of(p.coefficients.data() + i, p.coefficients.data() + i + width,
                               [](Limb l) { return l == 0; });
        };
        std::size_t size = p.coefficients.size();
        while (size > 0 && zero(size - width)) size -= width;
        std::size_t first = 0;
        while (first < size && zero(first)) first += width;
        p.low += static_cast<int>(first / width);
        std::fill_n(seen_.data(), width, Limb{0});  // the bits that differ from the sign
        for (std::size_t i = first; i < size; i += width) {
            const Limb sign = sign_of(p.coefficients[i + width - 1]);
            for (std::size_t l = 0; l < width; ++l) seen_[l] |= p.coefficients[i + l] ^ sign;
        }
        p.bits = 0;
        for (int l = 0; l < p.width; ++l) {
            const Limb seen = seen_[as_size(l)];
            if (seen != 0) p.bits = 64 * l + static_cast<int>(std::bit_width(seen));
        }
        p.width = std::min(p.width, width_for(p.bits));
        Limb* to = p.coefficients.data();
        for (std::size_t i = first; i < size; i += width, to += p.width) {
            std::copy_n(p.coefficients.data() + i, p.width, to);
        }
        p.coefficients.resize(static_cast<std::size_t>(to - p.coefficients.data()));
    }
    static void trim_single(Polynomial& p) {
        while (!p.coefficients.empty() && p.coefficients.back() == 0) p.coefficients.pop_back();
        std::size_t first = 0;
        while (first < p.coefficients.size() && p.coefficients[first] == 0) ++first;
        if (first != 0) {
            p.low += static_cast<int>(first);
            p.coefficients.erase(p.coefficients.begin(),
                                 p.coefficients.begin() + static_cast<std::ptrdiff_t>(first));
        }
        Limb seen = 0;
        for (const Limb c : p.coefficients) seen |= c ^ sign_of(c);
        p.bits = static_cast<int>(std::bit_width(seen));
    }

    int limbs_;
    Vector<Limb> seen_;
    Budget& budget_;
    Vector<Polynomial> cells_;
    Polynomial sum_, difference_;
    Vector<Limb> first_, second_;
};

Vector<Natural> sizes_of_component(const Component& component, Budget& budget, Effort& effort) {
    if (is_single_clause(component))
        return {{}, {static_cast<std::uint64_t>(component.clauses.n_atoms)}};
    // Few coefficients take as many limbs as the bound allows: to know better is not worth a count.
    PolynomialMachine machine(limbs_for(count_bits_bound(component.clauses, budget)), budget);
    ComponentSearch run(component, budget);
    machine.reserve(kFirstInput + run.inputs);
    machine.set_power(kOne, 0);
    for (Slot s = kFirstInput; s < kFirstInput + run.inputs; ++s) machine.set_power(s, 1);
    bool done = false;
    while (!done) {
        done = run.search.advance(std::size_t{1} << 12);
        machine.reserve(run.emit.high_water());
        machine.run(run.emit.code(), run.emit.end());
        run.emit.clear_code();
    }
    effort.nodes += run.search.nodes();
    effort.instructions += run.emit.instructions();
    return machine.result(run.search.result());
}

// A polynomial with natural coefficients, without the zeros at its low end.
struct Sizes {
    std::size_t low = 0;
    Vector<Natural> counts;
};

Sizes multiply(const Sizes& a, const Sizes& b, Budget& budget) {
    Sizes result;
    if (a.counts.empty() || b.counts.empty()) return result;
    result.low = a.low + b.low;
    result.counts.resize(a.counts.size() + b.counts.size() - 1);
    for (std::size_t i = 0; i < a.counts.size(); ++i) {
        for (std::size_t j = 0; j < b.counts.size(); ++j) {
            if (a.counts[i].empty() || b.counts[j].empty()) continue;
            Natural& sum = result.counts[i + j];
            sum = add(sum, cattleya::multiply(a.counts[i], b.counts[j]));
            budget.tick(static_cast<std::int64_t>(100 + a.counts[i].size() * b.counts[j].size()));
        }
    }
    return result;
}

}  // namespace

SizeResult count_by_size(const ClauseSet& clauses, Budget& budget) {
    check(clauses);
    SizeResult result;
    const auto components = split_into_components(clauses, budget);
    if (!components) return result;
    Vector<Sizes> factors;
    for (const Component& component : *components) {
        Sizes sizes;
        sizes.counts = sizes_of_component(component, budget, result.effort);
        while (!sizes.counts.empty() && sizes.counts.front().empty()) {
            sizes.counts.erase(sizes.counts.begin());
            ++sizes.low;
        }
        factors.push_back(std::move(sizes));
    }
    if (factors.empty()) factors.push_back({0, {{1}}});
    while (factors.size() > 1) {  // by halves
        Vector<Sizes> halved;
        for (std::size_t i = 0; i + 1 < factors.size(); i += 2) {
            halved.push_back(multiply(factors[i], factors[i + 1], budget));
        }
        if (factors.size() % 2 == 1) halved.push_back(std::move(factors.back()));
        factors = std::move(halved);
    }
    if (factors.front().counts.empty()) return result;
    result.count_of_size.resize(factors.front().low);
    for (Natural& n : factors.front().counts) result.count_of_size.push_back(std::move(n));
    return result;
}

}  // namespace cattleya::counting
