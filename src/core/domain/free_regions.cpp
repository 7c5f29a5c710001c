// Where a decision depends on some attributes alone.
//
// Two rows that differ in the free attributes only share a box of all others. So the tree is walked
// with a bundle of nodes at once, those that a row of the shared box can come to as its free
// attributes vary: a test of a free attribute sends a node of the bundle both ways, each with its
// own part of the free attributes; a test of another one cuts the shared box in two. Where every
// node of the bundle is a leaf, the box is a region: of one outcome, or one that is told. The boxes
// are cut, never copied, so no two regions meet, and what they have can be added up.
//
// Two trees are compared as one, whose root tests which of them is meant: that is then free.
#include <stdexcept>

#include "domain/box.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerNode = 10;  // nanoseconds, roughly

}  // namespace

class DomainTree::FreeWalk {
   public:
    FreeWalk(const DomainTree& tree, std::span<const std::int32_t> free, Wanted wanted,
             std::int64_t most, Budget& budget)
        : tree_(tree),
          free_(free.begin(), free.end()),
          is_free_(tree.n_attributes(), 0),
          wanted_(wanted),
          most_(most),
          budget_(budget),
          whole_(tree),
          box_(tree) {
        for (const std::int32_t attribute : free_) {
            if (attribute < 0 || static_cast<std::size_t>(attribute) >= tree.n_attributes() ||
                is_free_[attribute] != 0) {
                throw std::invalid_argument("free must be distinct attributes of the domain");
            }
            is_free_[attribute] = 1;
            free_words_ += box_.set(attribute).size();
        }
        if (wanted != Wanted::kDiffer && (free_.size() != 1 || tree.is_category(free_[0]))) {
            throw std::invalid_argument("only a single number can rise");
        }
    }

    FreeRegions run() {
        try {
            node_.push_back(0);
            store();
            open(0);
            while (!frame_.empty() && n_found_ < most_) step();
        } catch (const TimeoutExpired&) {
            found_.complete = false;
        }
        found_.complete = found_.complete && frame_.empty();
        return std::move(found_);
    }

   private:
    // The nodes of a bundle are node_[first] to the next frame's first.
    struct Frame {
        std::size_t first;
        std::int32_t test;  // that cuts the box
        std::int8_t stage;
    };

    void step() {
        Frame& top = frame_.back();
        const std::int32_t test = top.test;
        const std::size_t first = top.first;
        const std::int8_t stage = top.stage++;
        if (stage > 0) box_.restore(tree_.attribute_[test]);
        if (stage == 2) {
            box_.forget(tree_.attribute_[test]);
            frame_.pop_back();
            shrink(first);
            return;
        }
        box_.restrict(test, stage == 0);
        const std::size_t end = node_.size();
        for (std::size_t entry = first; entry < end; ++entry) {
            node_.push_back(node_[entry]);
            copy_free(entry);
        }
        open(end);
    }

    // Follows every node of the bundle from `first` on as far as the box decides; then the region
    // is told, or cut.
    void open(std::size_t first) {
        std::int32_t cut = -1;
        for (std::size_t entry = first; entry < node_.size(); ++entry) {
            load(entry);
            std::int32_t at = node_[entry];
            while (!tree_.node_[at].is_leaf()) {
                budget_.tick(kWorkPerNode);
                const std::int32_t test = tree_.node_[at].test;
                const Box::Sides found = box_.sides(test, budget_);
                if (found.left && found.right) {
                    const std::int32_t attribute = tree_.attribute_[test];
                    if (is_free_[attribute] == 0) {
                        if (cut < 0) cut = test;
                        break;
                    }
                    box_.keep(attribute);
                    box_.restrict(test, false);
                    node_.push_back(tree_.node_[at].right);
                    store();
                    box_.restore(attribute);
                    box_.forget(attribute);
                    box_.restrict(test, true);
                }
                at = found.left ? at + 1 : tree_.node_[at].right;
            }
            node_[entry] = at;
            write(entry);
        }
        budget_.tick(kWorkPerNode * static_cast<std::int64_t>(node_.size() - first));
        if (cut >= 0) {
            box_.keep(tree_.attribute_[cut]);
            frame_.push_back({first, cut, 0});
            return;
        }
        if (is_wanted(first)) tell(first);
        shrink(first);
    }

    [[nodiscard]] std::int32_t outcome(std::size_t entry) const {
        return ~tree_.node_[node_[entry]].test;
    }

    [[nodiscard]] bool is_wanted(std::size_t first) {
        if (wanted_ == Wanted::kDiffer) {
            for (std::size_t entry = first + 1; entry < node_.size(); ++entry) {
                if (outcome(entry) != outcome(first)) return true;
            }
            return false;
        }
        order_.clear();
        for (std::size_t entry = first; entry < node_.size(); ++entry) {
            const Box::Range& range = free_range_[entry];
            if (range.low <= range.high) order_.emplace_back(range.low, outcome(entry));
        }
        std::sort(order_.begin(), order_.end());
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const auto [before, after] = std::pair(order_[i - 1].second, order_[i].second);
            if (wanted_ == Wanted::kRises ? before < after : before > after) return true;
        }
        return false;
    }

    void tell(std::size_t first) {
        ++n_found_;
        for (const std::int32_t attribute : tree_.tested_) {
            if (is_free_[attribute] != 0) continue;
            if (tree_.is_category(attribute)) {
                const auto words = box_.set(attribute);
                const auto all = whole_.set(attribute);
                if (std::equal(words.begin(), words.end(), all.begin())) continue;
                found_.attribute.push_back(attribute);
                put_words(words, found_.low, found_.high);
                found_.missing.push_back(0);
                continue;
            }
            const Box::Range& range = box_.range(attribute);
            const Box::Range& all = whole_.range(attribute);
            if (range.low == all.low && range.high == all.high && range.missing == all.missing) {
                continue;
            }
            found_.attribute.push_back(attribute);
            found_.low.push_back(range.low);
            found_.high.push_back(range.high);
            found_.missing.push_back(range.missing ? 1 : 0);
        }
        found_.part_start.push_back(static_cast<std::int64_t>(found_.attribute.size()));
        for (std::size_t entry = first; entry < node_.size(); ++entry) {
            found_.outcome.push_back(outcome(entry));
            load(entry);
            for (const std::int32_t attribute : free_) {
                const Box::Range& range = box_.range(attribute);
                if (tree_.is_category(attribute)) {
                    put_words(box_.set(attribute), found_.free_low, found_.free_high);
                } else {
                    found_.free_low.push_back(range.low);
                    found_.free_high.push_back(range.high);
                }
                found_.free_missing.push_back(range.missing ? 1 : 0);
            }
        }
        found_.case_start.push_back(static_cast<std::int64_t>(found_.outcome.size()));
    }

    void put_words(std::span<const std::uint64_t> words, Vector<std::int32_t>& low,
                   Vector<std::int32_t>& high) {
        if (found_.words.size() + words.size() > kMostWords) {
            throw std::length_error("there are too many regions; ask for fewer");
        }
        low.push_back(static_cast<std::int32_t>(found_.words.size()));
        found_.words.insert(found_.words.end(), words.begin(), words.end());
        high.push_back(static_cast<std::int32_t>(found_.words.size()));
    }

    // The free attributes of a node of the bundle, out of and into the box.

    void load(std::size_t entry) {
        const Box::Range* range = free_range_.data() + entry * free_.size();
        const std::uint64_t* word = free_word_.data() + entry * free_words_;
        for (const std::int32_t attribute : free_) {
            box_.range(attribute) = *range++;
            for (std::uint64_t& own : box_.set(attribute)) own = *word++;
        }
    }

    void write(std::size_t entry) {
        Box::Range* range = free_range_.data() + entry * free_.size();
        std::uint64_t* word = free_word_.data() + entry * free_words_;
        for (const std::int32_t attribute : free_) {
            *range++ = box_.range(attribute);
            for (const std::uint64_t own : box_.set(attribute)) *word++ = own;
        }
    }

    void store() {
        free_range_.resize(free_range_.size() + free_.size());
        free_word_.resize(free_word_.size() + free_words_);
        write(node_.size() - 1);
    }

    void copy_free(std::size_t entry) {
        for (std::size_t i = 0; i < free_.size(); ++i) {
            free_range_.push_back(Box::Range(free_range_[entry * free_.size() + i]));
        }
        for (std::size_t i = 0; i < free_words_; ++i) {
            free_word_.push_back(std::uint64_t{free_word_[entry * free_words_ + i]});
        }
    }

    void shrink(std::size_t size) {
        node_.resize(size);
        free_range_.resize(size * free_.size());
        free_word_.resize(size * free_words_);
    }

    static constexpr std::size_t kMostWords = std::numeric_limits<std::int32_t>::max();

    const DomainTree& tree_;
    std::vector<std::int32_t> free_;
    std::vector<std::uint8_t> is_free_;
    Wanted wanted_;
    std::int64_t most_, n_found_ = 0;
    Budget& budget_;
    Box whole_, box_;
    std::size_t free_words_ = 0;
    Vector<Frame> frame_;
    Vector<std::int32_t> node_;  // the bundles of all frames, one after the other
    Vector<Box::Range> free_range_;
    Vector<std::uint64_t> free_word_;
    std::vector<std::pair<std::int32_t, std::int32_t>> order_;
    FreeRegions found_;
};

FreeRegions DomainTree::free_regions(std::span<const std::int32_t> free, Wanted wanted,
                                     std::int64_t most, Budget& budget) const {
    return FreeWalk(*this, free, wanted, most, budget).run();
}

}  // namespace cattleya::domain
