// A stretch of a program that is kept to be run again (importance_run.hpp, parallel.cpp).
//
// The slots are a stack, and the search seldom has more than some thousand at a time: as long as
// they are below 2^14, an instruction is kept with 16 bits for each of its words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counting/program.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

class KeptCode {
   public:
    bool empty() const { return narrow_.empty() && wide_.empty(); }
    std::size_t words() const { return narrow_.size() + wide_.size(); }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(2 * narrow_.size() + 4 * wide_.size());
    }

    // Appends instructions whose slots are all below `slots`.
    void append(const std::uint32_t* code, std::size_t words, Slot slots);

    // The instructions, in `room` where they have to be unpacked.
    const std::uint32_t* unpack(Vector<std::uint32_t>& room) const;

   private:
    void pack(const std::uint32_t* code, std::size_t words);
    void unpack_into(std::uint32_t* to) const;

    Vector<std::uint16_t> narrow_;
    Vector<std::uint32_t> wide_;
};

}  // namespace cattleya::counting
