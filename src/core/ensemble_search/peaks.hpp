// The largest weight of any leaf below each node, made once for each margin and kept: what is
// behind a node that cannot raise a bound need not be walked.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "ensemble_search/forest.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Peaks {
   public:
    using ByNode = std::shared_ptr<const Vector<std::int64_t>>;

    // None where they would take too much. Any thread.
    ByNode of(const Forest& forest, const Margin& margin, Budget& budget);

   private:
    struct Kept {
        std::int32_t of, rival;
        ByNode peaks;
    };

    std::mutex busy_;
    Vector<Kept> kept_;
    std::int64_t count_ = 0;  // of all that is kept
};

}  // namespace cattleya::ensemble_search
