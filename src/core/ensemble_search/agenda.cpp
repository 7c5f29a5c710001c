#include "ensemble_search/agenda.hpp"

#include <utility>

namespace cattleya::ensemble_search {
namespace {

// Of masks: with more, the last part comes first, so that no more are made than must be.
constexpr std::int64_t kMostHeld = std::int64_t{1} << 23;  // 64 MiB

}  // namespace

void Agenda::add(Part&& part) {
    if (part.tables != nullptr && (open_.empty() || open_.back().tables != part.tables)) {
        words_ += static_cast<std::int64_t>(part.tables->mask.size());
    }
    open_.push_back(std::move(part));
}

Part Agenda::take() {
    auto chosen = open_.end() - 1;
    if (words_ < kMostHeld) {
        for (auto one = open_.begin(); one != open_.end(); ++one) {
            if (one->bound > chosen->bound) chosen = one;
        }
    }
    Part part = std::move(*chosen);
    open_.erase(chosen);
    if (part.tables != nullptr && part.tables.use_count() == 1) {
        words_ -= static_cast<std::int64_t>(part.tables->mask.size());
    }
    return part;
}

}  // namespace cattleya::ensemble_search
