// Evaluates programs in the ring of integers modulo 2^(64 L): L limbs, least first, wrapping
// around.
//
// The ring is a homomorphic image of the integers, so after additions, subtractions and
// multiplications in any order and of any size, the residue of the final number is right; if that
// number is known to lie in [0, 2^(64 L)), the residue is the number. What lies between may
// overflow as it likes. bound.hpp gives the bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "program.hpp"

namespace cattleya {

using Limb = std::uint64_t;
__extension__ using DoubleLimb = unsigned __int128;

// Arithmetic on L limbs; N = 0 means that L is known only at run time.
template <int N>
struct Ring {
    explicit Ring(int limbs) : limbs_(N == 0 ? limbs : N) {}
    int limbs() const { return N == 0 ? limbs_ : N; }

    // t += a
    void accumulate(Limb* t, const Limb* a) const {
        unsigned char carry = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb sum = DoubleLimb{t[i]} + a[i] + carry;
            t[i] = static_cast<Limb>(sum);
            carry = static_cast<unsigned char>(sum >> 64);
        }
    }
    // t -= a
    void diminish(Limb* t, const Limb* a) const {
        unsigned char borrow = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb difference = DoubleLimb{t[i]} - a[i] - borrow;
            t[i] = static_cast<Limb>(difference);
            borrow = static_cast<unsigned char>((difference >> 64) & 1);
        }
    }
    // t += a b
    void accumulate_product(Limb* t, const Limb* a, const Limb* b) const {
        const int n = limbs();
        const int a_length = N == 0 ? length(a) : n;
        const int b_length = N == 0 ? length(b) : n;
        for (int i = 0; i < a_length; ++i) {
            Limb carry = 0;
            int j = 0;
            for (; j < b_length && i + j < n; ++j) {
                const DoubleLimb sum = DoubleLimb{a[i]} * b[j] + t[i + j] + carry;
                t[i + j] = static_cast<Limb>(sum);
                carry = static_cast<Limb>(sum >> 64);
            }
            if constexpr (N == 0) {
                for (; carry != 0 && i + j < n; ++j)
                    carry = __builtin_add_overflow(t[i + j], carry, &t[i + j]);
            }
        }
    }

   private:
    // Limbs up to the last that is not zero.
    int length(const Limb* a) const {
        int n = limbs();
        while (n > 0 && a[n - 1] == 0) --n;
        return n;
    }

    int limbs_;
};

template <int N>
class Machine {
   public:
    explicit Machine(int limbs) : ring_(limbs) {}

    int limbs() const { return ring_.limbs(); }

    // Makes room for the slots below `slots`.
    void reserve(Slot slots) {
        const std::size_t wanted = std::size_t{slots} * width();
        if (values_.size() < wanted) values_.resize(wanted + wanted / 2);
    }
    Limb* value(Slot s) { return values_.data() + std::size_t{s} * width(); }
    const Limb* value(Slot s) const { return values_.data() + std::size_t{s} * width(); }
    Limb* adjoint(Slot s) { return adjoints_.data() + std::size_t{s} * width(); }

    void set(Slot s, Limb small) {
        Limb* at = value(s);
        at[0] = small;
        for (int i = 1; i < limbs(); ++i) at[i] = 0;
    }
    // The values of the slots below `top`, and back.
    std::vector<Limb> save(Slot top) const {
        return {values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(top * width())};
    }
    void load(const std::vector<Limb>& saved) {
        std::copy(saved.begin(), saved.end(), values_.begin());
    }

    void run(const std::uint32_t* code, std::size_t words) { execute<false>(code, words); }

    // As run, and keeps what run_back needs: where every instruction starts (counted from `base`),
    // and what its target held before. Stretches that follow one another may be logged one after
    // the other.
    void start_log() {
        starts_.clear();
        log_.clear();
    }
    void run_logged(const std::uint32_t* base, const std::uint32_t* code, std::size_t words) {
        base_ = base;
        execute<true>(code, words);
    }

    // Starts the backward passes: the derivative of slot s by itself is one, by everything else so
    // far unknown, zero.
    void start_back(Slot s) {
        adjoints_.assign(values_.size(), 0);
        adjoint(s)[0] = 1;
    }
    // The same for the function with the given derivatives by the slots from 0 on.
    void start_back(const std::vector<Limb>& derivatives) {
        adjoints_.assign(values_.size(), 0);
        std::copy(derivatives.begin(), derivatives.end(), adjoints_.begin());
    }
    // sums += the derivatives by the slots from 0 on, as many as there are sums
    void add_adjoints(std::vector<Limb>& sums) const {
        for (std::size_t i = 0; i < sums.size(); i += width()) {
            ring_.accumulate(sums.data() + i, adjoints_.data() + i);
        }
    }

    // Undoes up to `count` of the instructions in the log, last first; whether any are left. Each
    // hands on the derivative of the result by its target to its operands, by the chain rule, and
    // gives the target its former value back: a slot stands for different variables at different
    // times, and the derivative by the former one starts at zero where the latter one begins.
    bool run_back(const std::uint32_t* base, std::size_t count) {
        Scratch scratch(ring_);
        Limb* const g = scratch.first;
        Limb* const u = scratch.second;
        const std::size_t n = width();
        const Limb* old = log_.data() + log_.size();
        const std::size_t last = starts_.size() - std::min(count, starts_.size());
        for (std::size_t i = starts_.size(); i-- > last;) {
            const std::uint32_t* const at = base + starts_[i];
            const Slot target = *at & kTargetMask;
            old -= n;
            copy(value(target), old);
            copy(g, adjoint(target));
            clear(adjoint(target));
            switch (static_cast<Operation>(*at >> kTargetBits)) {
                case Operation::add:
                    ring_.accumulate(adjoint(at[1]), g);
                    ring_.accumulate(adjoint(at[2]), g);
                    break;
                case Operation::mul:
                    ring_.accumulate_product(adjoint(at[1]), g, value(at[2]));
                    ring_.accumulate_product(adjoint(at[2]), g, value(at[1]));
                    break;
                case Operation::fma:
                    ring_.accumulate(adjoint(at[1]), g);
                    ring_.accumulate_product(adjoint(at[2]), g, value(at[3]));
                    ring_.accumulate_product(adjoint(at[3]), g, value(at[2]));
                    break;
                case Operation::affine:
                    ring_.accumulate(adjoint(at[1]), g);
                    copy(u, value(at[3]));
                    ring_.diminish(u, value(at[4]));
                    ring_.accumulate_product(adjoint(at[2]), g, u);
                    clear(u);
                    ring_.accumulate_product(u, g, value(at[2]));
                    ring_.accumulate(adjoint(at[3]), u);
                    ring_.diminish(adjoint(at[4]), u);
                    break;
            }
        }
        starts_.resize(last);
        log_.resize(last * n);
        return last != 0;
    }

   private:
    // Two numbers on the machine stack where their size is known, else on the heap.
    struct Scratch {
        explicit Scratch(const Ring<N>& ring) {
            if constexpr (N == 0) dynamic.resize(2 * static_cast<std::size_t>(ring.limbs()));
            first = N == 0 ? dynamic.data() : fixed;
            second = first + ring.limbs();
        }
        Limb fixed[N == 0 ? 1 : 2 * N];
        std::vector<Limb> dynamic;
        Limb* first;
        Limb* second;
    };

    std::size_t width() const { return static_cast<std::size_t>(limbs()); }
    void copy(Limb* to, const Limb* from) const {
        for (int i = 0; i < limbs(); ++i) to[i] = from[i];
    }
    void clear(Limb* to) const {
        for (int i = 0; i < limbs(); ++i) to[i] = 0;
    }

    template <bool kLogged>
    void execute(const std::uint32_t* code, std::size_t words) {
        Scratch scratch(ring_);
        Limb* const t = scratch.first;
        Limb* const u = scratch.second;
        const std::uint32_t* const end = code + words;
        while (code != end) {
            const Slot target = *code & kTargetMask;
            if constexpr (kLogged) {
                starts_.push_back(static_cast<std::uint32_t>(code - base_));
                log_.insert(log_.end(), value(target), value(target) + limbs());
            }
            switch (static_cast<Operation>(*code >> kTargetBits)) {
                case Operation::add:
                    copy(t, value(code[1]));
                    ring_.accumulate(t, value(code[2]));
                    code += 3;
                    break;
                case Operation::mul:
                    clear(t);
                    ring_.accumulate_product(t, value(code[1]), value(code[2]));
                    code += 3;
                    break;
                case Operation::fma:
                    copy(t, value(code[1]));
                    ring_.accumulate_product(t, value(code[2]), value(code[3]));
                    code += 4;
                    break;
                case Operation::affine:
                    copy(u, value(code[3]));
                    ring_.diminish(u, value(code[4]));
                    copy(t, value(code[1]));
                    ring_.accumulate_product(t, value(code[2]), u);
                    code += 5;
                    break;
            }
            copy(value(target), t);
        }
    }

    Ring<N> ring_;
    std::vector<Limb> values_;
    std::vector<Limb> adjoints_;
    const std::uint32_t* base_ = nullptr;
    std::vector<std::uint32_t> starts_;  // of the instructions in the log
    std::vector<Limb> log_;              // what their targets held before
};

// Calls visit(machine) with a machine of at least the given number of limbs; sizes known to the
// compiler are far faster.
template <class Visit>
auto with_machine(int limbs, Visit&& visit) {
    switch (limbs) {
        case 1: {
            Machine<1> m(1);
            return visit(m);
        }
        case 2: {
            Machine<2> m(2);
            return visit(m);
        }
        case 3: {
            Machine<3> m(3);
            return visit(m);
        }
        case 4: {
            Machine<4> m(4);
            return visit(m);
        }
        case 5: {
            Machine<5> m(5);
            return visit(m);
        }
        case 6: {
            Machine<6> m(6);
            return visit(m);
        }
        case 7:
        case 8: {
            Machine<8> m(8);
            return visit(m);
        }
        default: {
            Machine<0> m(limbs);
            return visit(m);
        }
    }
}

}  // namespace cattleya
