// A stretch of a program that is kept to be run again (importance_run.hpp, parallel.cpp).
//
// The slots are a stack, and the search seldom has more than some thousand at a time: as long as
// they are below 2^14, an instruction is kept with 16 bits for each of its words.
#pragma once

#include "../vector.hpp"
#include "program.hpp"

namespace cattleya {

class KeptCode {
   public:
    bool empty() const { return narrow_.empty() && wide_.empty(); }
    std::size_t words() const { return narrow_.size() + wide_.size(); }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(2 * narrow_.size() + 4 * wide_.size());
    }

    // Appends instructions whose slots are all below `slots`.
    void append(const std::uint32_t* code, std::size_t words, Slot slots) {
        if (wide_.empty() && slots <= kNarrowSlots) {
            pack(code, words);
            return;
        }
        if (!narrow_.empty()) {
            wide_.resize(narrow_.size());
            unpack_into(wide_.data());
            narrow_ = {};
        }
        wide_.insert(wide_.end(), code, code + words);
    }

    // The instructions, in `room` where they have to be unpacked.
    const std::uint32_t* unpack(Vector<std::uint32_t>& room) const {
        if (narrow_.empty()) return wide_.data();
        room.resize(narrow_.size());
        unpack_into(room.data());
        return room.data();
    }

   private:
    static constexpr int kNarrowTargetBits = 14;
    static constexpr Slot kNarrowSlots = Slot{1} << kNarrowTargetBits;
    static constexpr int kShift = static_cast<int>(kTargetBits) - kNarrowTargetBits;

    // All words are treated alike, those with an operation and those that are just a slot (whose
    // upper bits are zero): so it is the compiler's to do many at a time.
    void pack(const std::uint32_t* code, std::size_t words) {
        const std::size_t before = narrow_.size();
        narrow_.resize(before + words);
        std::uint16_t* const to = narrow_.data() + before;
        for (std::size_t i = 0; i < words; ++i) {
            const std::uint32_t operation = code[i] >> kTargetBits << kNarrowTargetBits;
            to[i] = static_cast<std::uint16_t>(operation | (code[i] & (kNarrowSlots - 1)));
        }
    }
    void unpack_into(std::uint32_t* to) const {
        for (std::size_t i = 0; i < narrow_.size(); ++i) {
            const std::uint32_t word = narrow_[i];
            const std::uint32_t slot = word & (kNarrowSlots - 1);
            to[i] = (word - slot) << kShift | slot;
        }
    }

    Vector<std::uint16_t> narrow_;
    Vector<std::uint32_t> wide_;
};

}  // namespace cattleya
