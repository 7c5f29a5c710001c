// Straight-line arithmetic programs, and the emitter that the search writes them with.
//
// The search for the number of minimal hitting sets never sees a number. It only decides which
// additions and multiplications are to be done, and writes them down as instructions over numbered
// slots. Whoever consumes the instructions (machine.hpp) evaluates them in the ring that the
// question needs. So every decision of the search holds for all weights at once, one search serves
// every query, and no decision can rest on two numbers being equal by luck.
//
// Slots are used as a stack: what is written above a mark is forgotten when the mark is returned
// to, and the place is used again. A program of a thousand million instructions therefore runs in a
// few thousand slots.
//
// Slot 0 holds zero, slot 1 holds one, and from slot 2 on come the inputs (the weights of the
// atoms). An operand that is slot 0 or 1 is *structurally* zero or one, and two operands in the
// same slot are structurally equal; the emitter simplifies on that ground only (0 a = 0, 1 a = a, a
// + b (c - c) = a, ...).
//
// Encoding, in 32-bit words:  [operation << 30 | target] operand...
//     add     t = a + b              mul     t = a b
//     fma     t = a + b c            affine  t = a + b (c - d)
// A word that is zero begins a block (dense.hpp), which only some programs have.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/vector.hpp"

namespace cattleya::counting {

using Slot = std::uint32_t;
inline constexpr Slot kZero = 0;
inline constexpr Slot kOne = 1;
inline constexpr Slot kFirstInput = 2;

enum class Operation : std::uint32_t { add = 0, mul = 1, fma = 2, affine = 3 };

inline constexpr int kOperandWords[4] = {2, 2, 3, 4};
inline constexpr std::size_t kShortest = 3, kLongest = 5;  // words of an instruction
inline constexpr std::uint32_t kTargetBits = 30;
inline constexpr std::uint32_t kTargetMask = (std::uint32_t{1} << kTargetBits) - 1;
// Where all slots are below 2^14, programs are kept with 16 bits for each word (kept_code.hpp).
inline constexpr std::uint32_t kNarrowTargetBits = 14;

// A block begins with 0, its length (two words) and its target.
inline constexpr std::size_t kBlockTarget = 3;
// What is not a slot takes two words there, of 16 bits that are kept so, too.
constexpr std::uint32_t block_half(std::uint32_t half) {
    constexpr std::uint32_t low = (std::uint32_t{1} << kNarrowTargetBits) - 1;
    return half >> kNarrowTargetBits << kTargetBits | (half & low);
}
constexpr std::uint32_t block_number(const std::uint32_t* words) {
    const auto half = [](std::uint32_t word) {
        return word >> kTargetBits << kNarrowTargetBits | (word & kTargetMask);
    };
    return half(words[1]) << 16 | half(words[0]);
}

class Emitter {
   public:
    explicit Emitter(Slot first_free)
        : top_(first_free), high_(first_free), recent_(kRecent), products_(kRecent) {}

    // The instructions written since the last clear_code().
    const std::uint32_t* code() const { return code_.data(); }
    const std::uint32_t* end() const { return code_.data() + size_; }
    std::size_t words() const { return size_; }
    void clear_code() { size_ = 0; }
    // Call where so many words are going to be written, and none is there: growing to as many would
    // take more for a moment.
    void reserve_code(std::size_t words) {
        if (size_ != 0 || code_.size() >= words + kLongest) return;
        code_ = {};
        code_.resize(words + kLongest);
    }

    Slot top() const { return top_; }
    Slot high_water() const { return high_; }
    std::uint64_t instructions() const { return instructions_; }

    // From now on no slot is used twice: every value stays.
    void keep_everything() { keep_everything_ = true; }
    // A slot that the program reads but does not write.
    Slot hole() { return allocate(); }

    // Forgets every slot from `mark` on.
    void release(Slot mark) {
        if (!keep_everything_) top_ = mark;
        ++epoch_;
    }
    // Back to where a checkpoint was taken.
    void restore(Slot top) {
        release(top);
        clear_code();
    }

    Slot mul(Slot a, Slot b) {
        if (a == kZero || b == kZero) return kZero;
        if (a == kOne) return b;
        if (b == kOne) return a;
        if (b < a) std::swap(a, b);
        const std::uint64_t key = std::uint64_t{a} << 32 | b;
        RecentProduct& r = products_[(a * 0x9E3779B1u + b * 0x85EBCA77u) >> 24];
        if (r.key != key || r.epoch != epoch_) {
            r = {key, epoch_, write(Operation::mul, allocate(), a, b)};
        }
        return r.result;
    }
    Slot add(Slot a, Slot b) {
        if (a == kZero) return b;
        if (b == kZero) return a;
        if (b < a) std::swap(a, b);
        Recent& r = recall(Operation::add, a, b, 0, 0);
        if (r.result == kNothing) r.result = write(Operation::add, allocate(), a, b);
        return r.result;
    }
    // a + k (c - d)
    Slot affine(Slot a, Slot k, Slot c, Slot d) {
        if (c == d || k == kZero) return a;
        if (d == kZero) {
            if (c == kOne) return add(a, k);
            if (k == kOne) return add(a, c);
            if (a == kZero) return mul(k, c);
            Recent& r = recall(Operation::fma, a, k, c, 0);
            if (r.result == kNothing) r.result = write(Operation::fma, allocate(), a, k, c);
            return r.result;
        }
        Recent& r = recall(Operation::affine, a, k, c, d);
        if (r.result == kNothing) r.result = write(Operation::affine, allocate(), a, k, c, d);
        return r.result;
    }
    // The value of `a`, in a slot that survives release(mark): `a` itself or a copy at `mark`.
    // Releases.
    Slot keep(Slot a, Slot mark) {
        release(mark);
        if (a < mark || keep_everything_) return a;
        const Slot target = allocate();
        if (a != target) write(Operation::add, target, a, kZero);
        return target;
    }
    // As keep(affine(a, k, c, d), mark), without the copy.
    Slot keep_affine(Slot a, Slot k, Slot c, Slot d, Slot mark) {
        if (c == d || k == kZero) return keep(a, mark);
        release(mark);
        return write(Operation::affine, allocate(), a, k, c, d);
    }

    // A block (dense.hpp) is written word by word between these two.
    Slot start_block() {
        block_ = size_;
        const Slot target = allocate();
        block_word(0);
        add_number(0);
        block_word(target);
        return target;
    }
    void add_number(std::uint32_t number) {
        block_word(block_half(number & 0xFFFF));
        block_word(block_half(number >> 16));
    }
    void block_word(std::uint32_t word) {
        if (size_ == code_.size()) code_.resize(2 * code_.size());
        code_[size_++] = word;
    }
    void end_block() {
        const auto words = static_cast<std::uint32_t>(size_ - block_);
        code_[block_ + 1] = block_half(words & 0xFFFF);
        code_[block_ + 2] = block_half(words >> 16);
        ++instructions_;
    }

   private:
    struct Recent {
        Operation operation;
        Slot a, b, c, d;
        std::uint32_t epoch;
        Slot result;
    };
    struct RecentProduct {
        std::uint64_t key;
        std::uint32_t epoch;
        Slot result;
    };
    static constexpr std::size_t kRecent = 256;
    static constexpr Slot kNothing = ~Slot{0};

    Slot allocate() {
        const Slot s = top_++;
        if (top_ > high_) high_ = top_;
        return s;
    }
    template <class... Operands>
    Slot write(Operation operation, Slot target, Operands... operands) {
        if (size_ + kLongest > code_.size()) code_.resize(2 * code_.size());
        std::uint32_t* at = code_.data() + size_;
        *at++ = static_cast<std::uint32_t>(operation) << kTargetBits | target;
        ((*at++ = operands), ...);
        size_ += 1 + sizeof...(operands);
        ++instructions_;
        return target;
    }
    // The place where an instruction is remembered as long as no slot was released since. Without
    // this, hard rows take a quarter more instructions; remembering for as long as the result is
    // there saves another twentieth, which pays for the bookkeeping and no more.
    Recent& recall(Operation operation, Slot a, Slot b, Slot c, Slot d) {
        const std::uint32_t h = (a + 37 * b + 101 * c + 151 * d) * 0x9E3779B1u;
        Recent& r = recent_[h >> 24];
        if (r.epoch != epoch_ || r.operation != operation || r.a != a || r.b != b || r.c != c ||
            r.d != d) {
            r = {operation, a, b, c, d, epoch_, kNothing};
        }
        return r;
    }

    Vector<std::uint32_t> code_ = Vector<std::uint32_t>(256);
    std::size_t size_ = 0;
    std::size_t block_ = 0;  // where the last block begins
    bool keep_everything_ = false;
    Slot top_;
    Slot high_;
    std::uint32_t epoch_ = 1;
    std::uint64_t instructions_ = 0;
    Vector<Recent> recent_;
    Vector<RecentProduct> products_;
};

}  // namespace cattleya::counting
