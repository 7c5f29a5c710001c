// The tables of all rows, made once for each margin and kept: where they are small, they save most
// questions the walk through the trees.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "ensemble_search/forest.hpp"
#include "ensemble_search/tables.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

class Shelf {
   public:
    // Without missing values that have a twin (forest.hpp), or with them. None where the tables
    // would be too large. Any thread.
    std::shared_ptr<const Tables> whole(const Forest& forest, const Margin& margin, bool twins,
                                        Budget& budget);

   private:
    struct Kept {
        std::int32_t of, rival;
        bool twins;
        std::shared_ptr<const Tables> tables;
    };

    std::mutex busy_;
    Vector<Kept> kept_;
    std::int64_t words_ = 0;  // of all masks
};

}  // namespace cattleya::ensemble_search
