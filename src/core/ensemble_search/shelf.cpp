#include "ensemble_search/shelf.hpp"

#include <algorithm>

namespace cattleya::ensemble_search {
namespace {

constexpr std::int64_t kMostWhole = std::int64_t{1} << 20;  // of masks: 8 MiB
constexpr std::int64_t kMostKept = std::int64_t{1} << 23;   // of those of all margins

// What the masks of all leaves will take, in words; a rough figure.
std::int64_t expected_words(const Forest& forest) {
    std::int64_t sum = 0;
    for (std::int32_t t = 0; t < forest.n_trees(); ++t) {
        const std::int64_t n = (forest.n_nodes(t) + 1) / 2;
        sum += 2 * n * ((n + 63) / 64);
    }
    return sum;
}

}  // namespace

std::shared_ptr<const Tables> Shelf::whole(const Forest& forest, const Margin& margin, bool twins,
                                           Budget& budget) {
    Box box = forest.attributes().everything();
    if (!twins) {
        const bool any = std::ranges::any_of(box.missing, [](std::uint8_t m) { return m != 0; });
        if (any) forest.leave_out_twins(box);
        twins = !any;  // one and the same
    }
    const std::lock_guard<std::mutex> alone(busy_);
    for (const Kept& kept : kept_) {
        if (kept.of == margin.of && kept.rival == margin.rival && kept.twins == twins)
            return kept.tables;
    }
    const Accounting not_counted(nullptr);  // it outlives the question
    std::shared_ptr<const Tables> made;
    const std::int64_t most = std::min(kMostWhole, kMostKept - words_);
    if (expected_words(forest) <= most) {
        made = std::make_shared<const Tables>(make_tables(forest, margin, box, most, budget));
        words_ += static_cast<std::int64_t>(made->mask.size());
    }
    kept_.push_back({margin.of, margin.rival, twins, made});
    return made;
}

}  // namespace cattleya::ensemble_search
