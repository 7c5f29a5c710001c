#include "counting/kept_code.hpp"

namespace cattleya::counting {
namespace {

constexpr Slot kNarrowSlots = Slot{1} << kNarrowTargetBits;
constexpr int kShift = static_cast<int>(kTargetBits - kNarrowTargetBits);

}  // namespace

void KeptCode::append(const std::uint32_t* code, std::size_t words, Slot slots) {
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

const std::uint32_t* KeptCode::unpack(Vector<std::uint32_t>& room) const {
    if (narrow_.empty()) return wide_.data();
    room.resize(narrow_.size());
    unpack_into(room.data());
    return room.data();
}

// All words are treated alike, those with an operation and those that are just a slot (whose
// upper bits are zero): so it is the compiler's to do many at a time.
void KeptCode::pack(const std::uint32_t* code, std::size_t words) {
    const std::size_t before = narrow_.size();
    narrow_.resize(before + words);
    std::uint16_t* const to = narrow_.data() + before;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint32_t operation = code[i] >> kTargetBits << kNarrowTargetBits;
        to[i] = static_cast<std::uint16_t>(operation | (code[i] & (kNarrowSlots - 1)));
    }
}

void KeptCode::unpack_into(std::uint32_t* to) const {
    for (std::size_t i = 0; i < narrow_.size(); ++i) {
        const std::uint32_t word = narrow_[i];
        const std::uint32_t slot = word & (kNarrowSlots - 1);
        to[i] = (word - slot) << kShift | slot;
    }
}

}  // namespace cattleya::counting
