// What is left of a question: the parts of its box that may still have a row of another outcome.
//
// The part whose bound is highest comes first: there a row is most likely, and where there is none,
// all parts have to be looked at anyway. Each part is searched depth first for a while
// (search.hpp), which takes no memory; what that leaves are parts again. A question that was put
// off goes on with what was left of it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "ensemble_search/box.hpp"
#include "ensemble_search/tables.hpp"
#include "support/vector.hpp"

namespace cattleya::ensemble_search {

struct Part {
    Box box;
    std::int64_t bound;                    // what no row in it exceeds, as far as is known
    std::shared_ptr<const Tables> tables;  // of a box around it; none: walk the trees
    std::int64_t most;                     // parts of it to look at with these tables
};

class Agenda {
   public:
    static constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool empty() const { return open_.empty(); }
    [[nodiscard]] std::int64_t words() const { return words_; }  // of the masks that are held
    void add(Part&& part);
    Part take();

   private:
    Vector<Part> open_;
    std::int64_t words_ = 0;
};

// A question that was put off: what is left of it, by rival.
struct PutOff {
    Box box;
    Vector<Agenda> left;
};

}  // namespace cattleya::ensemble_search
