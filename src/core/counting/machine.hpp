// Evaluates programs in the ring of integers modulo 2^(64 L), forward and backward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/program.hpp"
#include "counting/ring.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

class Machine {
   public:
    // With at least the given number of limbs.
    explicit Machine(int limbs);

    int limbs() const { return limbs_; }

    // Makes room for the slots below `slots`.
    void reserve(Slot slots);
    Limb* value(Slot s) { return values_.data() + std::size_t{s} * width(); }
    const Limb* value(Slot s) const { return values_.data() + std::size_t{s} * width(); }
    Limb* adjoint(Slot s) { return adjoints_.data() + std::size_t{s} * width(); }

    void set(Slot s, Limb small);
    // The values of the slots below `top`, and back, into a machine that may have fewer limbs than
    // the one they were saved by.
    Vector<Limb> save(Slot top) const;
    void load(const Vector<Limb>& saved, int saved_limbs);

    // Runs the instructions from `code` on, to the first that does not begin before `stop`, or to a
    // block (dense.hpp); that is returned.
    const std::uint32_t* run(const std::uint32_t* code, const std::uint32_t* stop);

    // As run, and keeps what run_back needs: where every instruction starts (counted from `base`),
    // and what its target held before. Stretches that follow one another may be logged one after
    // the other; together they have at most `words`.
    void start_log(std::size_t words);
    const std::uint32_t* run_logged(const std::uint32_t* base, const std::uint32_t* code,
                                    const std::uint32_t* stop);
    // Logs a block that is about to be run.
    void log_block(const std::uint32_t* base, const std::uint32_t* block);

    // Starts the backward passes: the derivative of slot s by itself is one, by everything else so
    // far unknown, zero.
    void start_back(Slot s);
    // The same for the function with the given derivatives by the slots from 0 on.
    void start_back(const Vector<Limb>& derivatives);
    // sums += the derivatives by the slots from 0 on, as many as there are sums
    void add_adjoints(Vector<Limb>& sums) const;

    // Undoes up to `count` of the instructions in the log, last first; whether any are left. Each
    // hands on the derivative of the result by its target to its operands, by the chain rule, and
    // gives the target its former value back: a slot stands for different variables at different
    // times, and the derivative by the former one starts at zero where the latter one begins. Stops
    // at a block.
    bool run_back(const std::uint32_t* base, std::size_t count);
    // Where the last in the log is a block: gives its target back its former value, and returns it.
    // Else null.
    const std::uint32_t* unlog_block(const std::uint32_t* base);

   private:
    // The loops for a number of limbs that the compiler knows, which are far faster, or for any.
    struct Loops;
    template <int N>
    struct LoopsOf;

    std::size_t width() const { return static_cast<std::size_t>(limbs_); }

    const Loops* loops_;
    int limbs_;
    Vector<Limb> values_;
    Vector<Limb> adjoints_;
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

}  // namespace cattleya::counting
