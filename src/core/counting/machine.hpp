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

#include "../vector.hpp"
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
    [[gnu::always_inline]] void accumulate(Limb* t, const Limb* a) const {
        if constexpr (N == 2) return put(t, get(t) + get(a));
        unsigned char carry = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb sum = DoubleLimb{t[i]} + a[i] + carry;
            t[i] = static_cast<Limb>(sum);
            carry = static_cast<unsigned char>(sum >> 64);
        }
    }
    // t -= a
    [[gnu::always_inline]] void diminish(Limb* t, const Limb* a) const {
        if constexpr (N == 2) return put(t, get(t) - get(a));
        unsigned char borrow = 0;
        for (int i = 0; i < limbs(); ++i) {
            const DoubleLimb difference = DoubleLimb{t[i]} - a[i] - borrow;
            t[i] = static_cast<Limb>(difference);
            borrow = static_cast<unsigned char>((difference >> 64) & 1);
        }
    }
    // t += a b
    [[gnu::always_inline]] void accumulate_product(Limb* t, const Limb* a, const Limb* b) const {
        if constexpr (N == 2) return put(t, get(t) + get(a) * get(b));
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
    // Two limbs are a number that the compiler knows how to handle.
    static DoubleLimb get(const Limb* a) { return DoubleLimb{a[1]} << 64 | a[0]; }
    static void put(Limb* t, DoubleLimb number) {
        t[0] = static_cast<Limb>(number);
        t[1] = static_cast<Limb>(number >> 64);
    }
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
    // The values of the slots below `top`, and back, into a machine that may have fewer limbs than
    // the one they were saved by.
    Vector<Limb> save(Slot top) const {
        return {values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(top * width())};
    }
    void load(const Vector<Limb>& saved, int saved_limbs) {
        Limb* to = values_.data();
        const std::size_t step = static_cast<std::size_t>(saved_limbs);
        for (std::size_t from = 0; from < saved.size(); from += step, to += width()) {
            copy(to, saved.data() + from);
        }
    }

    // Runs the instructions from `code` on, to the first that does not begin before `stop`; that is
    // returned.
    const std::uint32_t* run(const std::uint32_t* code, const std::uint32_t* stop) {
        return execute<false>(code, stop);
    }

    // As run, and keeps what run_back needs: where every instruction starts (counted from `base`),
    // and what its target held before. Stretches that follow one another may be logged one after
    // the other; together they have at most `words`.
    void start_log(std::size_t words) {
        logged_ = 0;
        const std::size_t most = words / kShortest + 1;
        if (starts_.size() >= most) return;
        starts_ = {};  // before there is more
        log_ = {};
        starts_.resize(most);
        log_.resize(most * width());
    }
    const std::uint32_t* run_logged(const std::uint32_t* base, const std::uint32_t* code,
                                    const std::uint32_t* stop) {
        base_ = base;
        return execute<true>(code, stop);
    }

    // Starts the backward passes: the derivative of slot s by itself is one, by everything else so
    // far unknown, zero.
    void start_back(Slot s) {
        adjoints_.assign(values_.size(), 0);
        adjoint(s)[0] = 1;
    }
    // The same for the function with the given derivatives by the slots from 0 on.
    void start_back(const Vector<Limb>& derivatives) {
        adjoints_.assign(values_.size(), 0);
        std::copy(derivatives.begin(), derivatives.end(), adjoints_.begin());
    }
    // sums += the derivatives by the slots from 0 on, as many as there are sums
    void add_adjoints(Vector<Limb>& sums) const {
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
        const Limb* old = log_.data() + logged_ * n;
        const std::size_t last = logged_ - std::min(count, logged_);
        for (std::size_t i = logged_; i-- > last;) {
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
        logged_ = last;
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
        Vector<Limb> dynamic;
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
    const std::uint32_t* execute(const std::uint32_t* code, const std::uint32_t* stop) {
        Scratch scratch(ring_);
        Limb* const t = scratch.first;
        Limb* const u = scratch.second;
        std::uint32_t* start = starts_.data() + logged_;
        Limb* old = log_.data() + logged_ * width();
        while (code < stop) {
            const Slot target = *code & kTargetMask;
            if constexpr (kLogged) {
                *start++ = static_cast<std::uint32_t>(code - base_);
                copy(old, value(target));
                old += width();
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
        if constexpr (kLogged) logged_ = static_cast<std::size_t>(start - starts_.data());
        return code;
    }

    Ring<N> ring_;
    Vector<Limb> values_;
    Vector<Limb> adjoints_;
    const std::uint32_t* base_ = nullptr;
    // The log: where instructions start, and what their targets held before. The vectors only grow.
    std::size_t logged_ = 0;
    Vector<std::uint32_t> starts_;
    Vector<Limb> log_;
};

// Has run(code, stop) run a program in stretches of about so many words, so that limits can be
// looked at in between; it returns where it stopped.
template <class Run>
void in_stretches(const std::uint32_t* code, std::size_t words, std::size_t stretch, Run&& run) {
    const std::uint32_t* const end = code + words;
    while (code != end) {
        code = run(code, code + std::min(stretch, static_cast<std::size_t>(end - code)));
    }
}

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
