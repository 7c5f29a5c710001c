// Counting by size: the same program with the weight t for every atom, evaluated on polynomials in
// t.
//
// The coefficient of t^s of the result is the number of minimal hitting sets of size s. The
// coefficients live in the ring of ring.hpp with room for the count itself, which no coefficient
// exceeds. The deep parts of the program are about a few vertices, so most polynomials are short;
// they are kept without their zeros at both ends. (Evaluating at as many points as there may be
// sizes, modulo primes, and interpolating would cost every instruction the full number of points.)
#include <algorithm>

#include "counting/evaluate.hpp"
#include "counting/program.hpp"
#include "counting/ring.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

template <int N>
class PolynomialMachine {
   public:
    PolynomialMachine(int limbs, Budget& budget) : ring_(limbs), budget_(budget) {}

    void reserve(Slot slots) {
        if (cells_.size() < slots) cells_.resize(std::size_t{slots} + slots / 2);
    }
    // slot := t^power
    void set_power(Slot s, int power) {
        cells_[s].low = power;
        cells_[s].coefficients.assign(width(), 0);
        cells_[s].coefficients[0] = 1;
    }

    void run(const std::uint32_t* code, const std::uint32_t* end) {
        while (code != end) {
            const Slot target = *code & kTargetMask;
            switch (static_cast<Operation>(*code >> kTargetBits)) {
                case Operation::add:
                    sum_ = cells_[code[1]];
                    accumulate(sum_, cells_[code[2]], false);
                    code += 3;
                    break;
                case Operation::mul:
                    sum_.coefficients.clear();
                    accumulate_product(sum_, cells_[code[1]], cells_[code[2]]);
                    code += 3;
                    break;
                case Operation::fma:
                    sum_ = cells_[code[1]];
                    accumulate_product(sum_, cells_[code[2]], cells_[code[3]]);
                    code += 4;
                    break;
                case Operation::affine:
                    difference_ = cells_[code[3]];
                    accumulate(difference_, cells_[code[4]], true);
                    sum_ = cells_[code[1]];
                    accumulate_product(sum_, cells_[code[2]], difference_);
                    code += 5;
                    break;
            }
            trim(sum_);
            Polynomial& cell = cells_[target];
            cell = sum_;
        }
    }

    Vector<Natural> result(Slot s) const {
        const Polynomial& cell = cells_[s];
        Vector<Natural> by_size(static_cast<std::size_t>(cell.low));
        for (std::size_t i = 0; i < cell.coefficients.size(); i += width()) {
            by_size.push_back(natural_from(cell.coefficients.data() + i, ring_.limbs()));
        }
        return by_size;
    }

   private:
    struct Polynomial {
        int low = 0;                // the power of the first coefficient
        Vector<Limb> coefficients;  // limbs() each; none for the zero polynomial
    };

    std::size_t width() const { return static_cast<std::size_t>(ring_.limbs()); }

    // Makes room for the powers from `low` to below `high`.
    void cover(Polynomial& p, int low, int high) const {
        if (p.coefficients.empty()) {
            p.low = low;
            p.coefficients.assign(static_cast<std::size_t>(high - low) * width(), 0);
            return;
        }
        if (low < p.low) {
            p.coefficients.insert(p.coefficients.begin(),
                                  static_cast<std::size_t>(p.low - low) * width(), 0);
            p.low = low;
        }
        const std::size_t wanted = static_cast<std::size_t>(high - p.low) * width();
        if (p.coefficients.size() < wanted) p.coefficients.resize(wanted, 0);
    }
    int high(const Polynomial& p) const {
        return p.low + static_cast<int>(p.coefficients.size() / width());
    }
    void accumulate(Polynomial& p, const Polynomial& q, bool negative) {
        if (q.coefficients.empty()) return;
        cover(p, q.low, high(q));
        Limb* at = p.coefficients.data() + static_cast<std::size_t>(q.low - p.low) * width();
        for (std::size_t i = 0; i < q.coefficients.size(); i += width()) {
            if (negative) {
                ring_.diminish(at + i, q.coefficients.data() + i);
            } else {
                ring_.accumulate(at + i, q.coefficients.data() + i);
            }
        }
    }
    void accumulate_product(Polynomial& p, const Polynomial& a, const Polynomial& b) {
        if (a.coefficients.empty() || b.coefficients.empty()) return;
        cover(p, a.low + b.low, high(a) + high(b) - 1);
        Limb* at =
            p.coefficients.data() + static_cast<std::size_t>(a.low + b.low - p.low) * width();
        for (std::size_t i = 0; i < a.coefficients.size(); i += width()) {
            for (std::size_t j = 0; j < b.coefficients.size(); j += width()) {
                ring_.accumulate_product(at + i + j, a.coefficients.data() + i,
                                         b.coefficients.data() + j);
            }
            budget_.tick(static_cast<std::int64_t>(b.coefficients.size() * width()));
        }
    }
    void trim(Polynomial& p) const {
        const auto zero = [&](std::size_t i) {
            return std::all_of(p.coefficients.begin() + static_cast<std::ptrdiff_t>(i),
                               p.coefficients.begin() + static_cast<std::ptrdiff_t>(i + width()),
                               [](Limb l) { return l == 0; });
        };
        std::size_t size = p.coefficients.size();
        while (size > 0 && zero(size - width())) size -= width();
        p.coefficients.resize(size);
        std::size_t first = 0;
        while (first < size && zero(first)) first += width();
        if (first == 0) return;
        p.coefficients.erase(p.coefficients.begin(),
                             p.coefficients.begin() + static_cast<std::ptrdiff_t>(first));
        p.low += static_cast<int>(first / width());
    }

    Ring<N> ring_;
    Budget& budget_;
    Vector<Polynomial> cells_;
    Polynomial sum_, difference_;
};

template <int N>
Vector<Natural> sizes_with(int limbs, const Component& component, Budget& budget) {
    ComponentSearch run(component, budget);
    PolynomialMachine<N> machine(limbs, budget);
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
    return machine.result(run.search.result());
}

Vector<Natural> sizes_of_component(const Component& component, Budget& budget, Effort& effort) {
    if (is_single_clause(component))
        return {{}, {static_cast<std::uint64_t>(component.clauses.n_atoms)}};
    const Natural count = count_component(component, budget, effort);
    const int limbs = limbs_for(bit_length(count) + 1);
    switch (limbs) {
        case 1:
            return sizes_with<1>(1, component, budget);
        case 2:
            return sizes_with<2>(2, component, budget);
        case 3:
            return sizes_with<3>(3, component, budget);
        case 4:
            return sizes_with<4>(4, component, budget);
        default:
            return sizes_with<0>(limbs, component, budget);
    }
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
