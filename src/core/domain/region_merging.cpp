// Regions that are side by side along one attribute, and alike in all else, become one.
//
// A region is a line of numbers, one per attribute: which set of cells it has there, each distinct
// set having a number, and 0 standing for all cells. Two regions can be joined along an attribute
// where the other numbers of their lines, and how their outcome goes with the free attributes, are
// equal. A hash of a line is a sum over its attributes, so that the hash without one of them is a
// difference; lines with equal hashes are then compared. Attributes take turns until nothing more
// can be joined.
//
// The cases of a region, the parts of the free attributes with one outcome each, are joined first,
// in the same way: they are lines over the free attributes.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "domain/box.hpp"

namespace cattleya::domain {
namespace {

constexpr std::int64_t kWorkPerLine = 60;  // nanoseconds, roughly
constexpr std::int32_t kAll = 0;           // the number of the set of all cells

std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ull;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

// Of a number low to high, and perhaps missing; of a category its words.
struct Cells {
    std::int32_t low, high;
    bool missing;
    std::vector<std::uint64_t> words;
    bool operator==(const Cells&) const = default;
    bool operator<(const Cells& other) const {  // not <=>: older libraries lack that of vectors
        return std::tie(low, high, missing, words) <
               std::tie(other.low, other.high, other.missing, other.words);
    }
};

// The distinct sets of cells of one attribute.
class Sets {
   public:
    Sets(Cells all, bool is_category) : is_category_(is_category) { number(std::move(all)); }

    std::int32_t number(Cells cells) {
        const auto [at, is_new] = known_.emplace(cells, static_cast<std::int32_t>(sets_.size()));
        if (is_new) sets_.push_back(std::move(cells));
        return at->second;
    }
    [[nodiscard]] const Cells& operator[](std::int32_t set) const { return sets_[set]; }
    [[nodiscard]] bool is_category() const { return is_category_; }

    // The same cells in as few sets as there can be; the sets given have no cell in common.
    std::vector<std::int32_t> joined(std::vector<std::int32_t> given) {
        if (is_category_) {
            Cells all = sets_[given[0]];
            for (std::size_t i = 1; i < given.size(); ++i) {
                for (std::size_t word = 0; word < all.words.size(); ++word) {
                    all.words[word] |= sets_[given[i]].words[word];
                }
            }
            return {number(std::move(all))};
        }
        std::sort(given.begin(), given.end(),
                  [&](std::int32_t a, std::int32_t b) { return sets_[a] < sets_[b]; });
        std::vector<Cells> result;
        bool gap = false;
        for (const std::int32_t set : given) {
            const Cells cells = sets_[set];
            if (cells.low > cells.high) {
                gap = true;
            } else if (!result.empty() && result.back().high + 1 == cells.low) {
                result.back().high = cells.high;
                result.back().missing = result.back().missing || cells.missing;
            } else {
                result.push_back(cells);
            }
        }
        if (gap && result.empty()) return {given[0]};
        if (gap) result[0].missing = true;
        std::vector<std::int32_t> numbers;
        for (Cells& cells : result) numbers.push_back(number(std::move(cells)));
        return numbers;
    }

   private:
    bool is_category_;
    std::map<Cells, std::int32_t> known_;
    std::vector<Cells> sets_;
};

// Lines of set numbers, each with a label that both of two joined lines have.
class Lines {
   public:
    explicit Lines(std::vector<Sets*> sets) : sets_(std::move(sets)) {}

    [[nodiscard]] std::size_t size() const { return label_.size(); }
    [[nodiscard]] std::int64_t label(std::size_t line) const { return label_[line]; }
    [[nodiscard]] std::int32_t at(std::size_t line, std::size_t column) const {
        return set_[line * sets_.size() + column];
    }

    void add(const std::vector<std::int32_t>& sets, std::int64_t label) {
        set_.insert(set_.end(), sets.begin(), sets.end());
        label_.push_back(label);
    }

    void join(Budget& budget) {
        std::size_t done = 0;  // columns since something was joined
        for (std::size_t column = 0; done < sets_.size(); column = (column + 1) % sets_.size()) {
            budget.tick(kWorkPerLine * static_cast<std::int64_t>(size()));
            done = join_along(column) ? 1 : done + 1;
        }
    }

   private:
    struct Key {
        std::uint64_t hash;
        std::uint32_t line;
        bool operator<(const Key& other) const {
            return hash != other.hash ? hash < other.hash : line < other.line;
        }
    };

    [[nodiscard]] std::uint64_t hash(std::size_t line, std::size_t without) const {
        std::uint64_t sum = mixed(static_cast<std::uint64_t>(label_[line]));
        const std::int32_t* own = set_.data() + line * sets_.size();
        for (std::size_t column = 0; column < sets_.size(); ++column) {
            if (column == without) continue;
            sum += mixed(static_cast<std::uint64_t>(column + 1) << 32 |
                         static_cast<std::uint32_t>(own[column]));
        }
        return sum;
    }

    [[nodiscard]] bool alike(std::size_t one, std::size_t two, std::size_t without) const {
        if (label_[one] != label_[two]) return false;
        for (std::size_t column = 0; column < sets_.size(); ++column) {
            if (column != without && at(one, column) != at(two, column)) return false;
        }
        return true;
    }

    // Returns whether anything was joined.
    bool join_along(std::size_t column) {
        key_.clear();
        for (std::size_t line = 0; line < size(); ++line) {
            // No line that has all cells can be beside another one.
            if (at(line, column) == kAll) continue;
            key_.push_back({hash(line, column), static_cast<std::uint32_t>(line)});
        }
        std::sort(key_.begin(), key_.end());
        gone_.assign(size(), 0);
        bool changed = false;
        for (std::size_t first = 0; first < key_.size();) {
            std::size_t end = first + 1;
            while (end < key_.size() && key_[end].hash == key_[first].hash) ++end;
            for (std::size_t one = first; one < end && end - first > 1; ++one) {
                if (gone_[key_[one].line] == 0) changed = join_group(column, one, end) || changed;
            }
            first = end;
        }
        if (changed) sweep();
        return changed;
    }

    // Joins the lines among key_[first] to key_[end] that are alike to the first of them.
    bool join_group(std::size_t column, std::size_t first, std::size_t end) {
        group_.clear();
        std::vector<std::int32_t> sets;
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t line = key_[i].line;
            if (gone_[line] != 0 || !alike(key_[first].line, line, column)) continue;
            group_.push_back(line);
            sets.push_back(at(line, column));
        }
        if (group_.size() == 1) return false;
        const std::vector<std::int32_t> joined = sets_[column]->joined(std::move(sets));
        if (joined.size() == group_.size()) return false;
        for (std::size_t i = 0; i < group_.size(); ++i) {
            if (i < joined.size()) {
                set_[group_[i] * sets_.size() + column] = joined[i];
            } else {
                gone_[group_[i]] = 1;
            }
        }
        return true;
    }

    void sweep() {
        std::size_t kept = 0;
        for (std::size_t line = 0; line < size(); ++line) {
            if (gone_[line] != 0) continue;
            std::copy_n(set_.begin() + static_cast<std::ptrdiff_t>(line * sets_.size()),
                        sets_.size(),
                        set_.begin() + static_cast<std::ptrdiff_t>(kept * sets_.size()));
            label_[kept++] = label_[line];
        }
        label_.resize(kept);
        set_.resize(kept * sets_.size());
    }

    std::vector<Sets*> sets_;
    Vector<std::int32_t> set_;
    Vector<std::int64_t> label_;
    Vector<Key> key_;
    Vector<std::uint8_t> gone_;
    std::vector<std::uint32_t> group_;
};

}  // namespace

class DomainTree::Merger {
   public:
    Merger(const DomainTree& tree, std::span<const std::int32_t> free, Budget& budget)
        : tree_(tree), free_(free.begin(), free.end()), budget_(budget) {
        Box whole(tree);
        place_.assign(tree.n_attributes(), -1);
        for (const std::int32_t attribute : tree.tested_) {
            if (std::find(free_.begin(), free_.end(), attribute) != free_.end()) continue;
            place_[attribute] = static_cast<std::int32_t>(stay_.size());
            stay_.push_back(attribute);
            stay_sets_.push_back(all_of(whole, attribute));
        }
        for (const std::int32_t attribute : free_) free_sets_.push_back(all_of(whole, attribute));
    }

    FreeRegions run(const FreeRegions& given) {
        const std::size_t n_regions = given.part_start.size() - 1;
        const std::vector<std::int64_t> how = cases(given, n_regions);
        Lines lines(pointers(stay_sets_));
        std::vector<std::int32_t> line;
        for (std::size_t region = 0; region < n_regions; ++region) {
            line.assign(stay_.size(), kAll);
            for (auto i = given.part_start[region]; i < given.part_start[region + 1]; ++i) {
                const std::int32_t place = place_[given.attribute[i]];
                Sets& sets = stay_sets_[place];
                line[place] = sets.number(cells(given, sets.is_category(), given.low[i],
                                                given.high[i], given.missing[i]));
            }
            lines.add(line, how[region]);
        }
        lines.join(budget_);
        return told(lines);
    }

   private:
    struct Case {
        std::vector<std::int32_t> sets;
        std::int32_t outcome;
        bool operator<(const Case& other) const {
            return std::tie(sets, outcome) < std::tie(other.sets, other.outcome);
        }
    };

    [[nodiscard]] Sets all_of(Box& whole, std::int32_t attribute) const {
        const bool is_category = tree_.is_category(attribute);
        Cells all{0, 0, false, {}};
        if (is_category) {
            const auto words = whole.set(attribute);
            all.words.assign(words.begin(), words.end());
        } else {
            const Box::Range& range = whole.range(attribute);
            all = {range.low, range.high, range.missing, {}};
        }
        return {std::move(all), is_category};
    }

    static std::vector<Sets*> pointers(std::vector<Sets>& sets) {
        std::vector<Sets*> result;
        for (Sets& one : sets) result.push_back(&one);
        return result;
    }

    static Cells cells(const FreeRegions& given, bool is_category, std::int32_t low,
                       std::int32_t high, std::uint8_t missing) {
        if (!is_category) return {low, high, missing != 0, {}};
        return {0, 0, false, {given.words.begin() + low, given.words.begin() + high}};
    }

    // How the outcome of each region goes with the free attributes: the number of its list of
    // cases, joined and in order.
    std::vector<std::int64_t> cases(const FreeRegions& given, std::size_t n_regions) {
        Lines lines(pointers(free_sets_));
        std::vector<std::int32_t> line(free_.size());
        const std::int64_t n_classes = tree_.n_classes_;
        for (std::size_t region = 0; region < n_regions; ++region) {
            for (auto i = given.case_start[region]; i < given.case_start[region + 1]; ++i) {
                for (std::size_t f = 0; f < free_.size(); ++f) {
                    const std::size_t at = static_cast<std::size_t>(i) * free_.size() + f;
                    Sets& sets = free_sets_[f];
                    line[f] = sets.number(cells(given, sets.is_category(), given.free_low[at],
                                                given.free_high[at], given.free_missing[at]));
                }
                lines.add(line, static_cast<std::int64_t>(region) * n_classes + given.outcome[i]);
            }
        }
        lines.join(budget_);
        std::vector<std::vector<Case>> of_region(n_regions);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            Case one{std::vector<std::int32_t>(free_.size()),
                     static_cast<std::int32_t>(lines.label(i) % n_classes)};
            for (std::size_t f = 0; f < free_.size(); ++f) one.sets[f] = lines.at(i, f);
            of_region[lines.label(i) / n_classes].push_back(std::move(one));
        }
        std::map<std::vector<Case>, std::int64_t> known;
        std::vector<std::int64_t> number(n_regions);
        for (std::size_t region = 0; region < n_regions; ++region) {
            std::vector<Case>& own = of_region[region];
            std::sort(own.begin(), own.end(),
                      [&](const Case& a, const Case& b) { return comes_first(a, b); });
            const auto [at, is_new] = known.emplace(own, static_cast<std::int64_t>(known.size()));
            if (is_new) how_.push_back(std::move(own));
            number[region] = at->second;
        }
        return number;
    }

    // By their first cells; of categories, a set with the least cell is first.
    [[nodiscard]] bool comes_first(const Case& a, const Case& b) const {
        for (std::size_t f = 0; f < free_.size(); ++f) {
            const Cells& one = free_sets_[f][a.sets[f]];
            const Cells& two = free_sets_[f][b.sets[f]];
            if (one == two) continue;
            if (!free_sets_[f].is_category()) return one < two;
            for (std::size_t word = 0; word < one.words.size(); ++word) {
                const std::uint64_t only = one.words[word] ^ two.words[word];
                if (only != 0) return (one.words[word] & only & (~only + 1)) != 0;
            }
        }
        return a.outcome < b.outcome;
    }

    [[nodiscard]] FreeRegions told(const Lines& lines) const {
        FreeRegions found;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            for (std::size_t place = 0; place < stay_.size(); ++place) {
                const std::int32_t set = lines.at(line, place);
                if (set == kAll) continue;
                found.attribute.push_back(stay_[place]);
                put(found, stay_sets_[place], set, found.low, found.high, found.missing);
            }
            found.part_start.push_back(static_cast<std::int64_t>(found.attribute.size()));
            for (const Case& one : how_[lines.label(line)]) {
                found.outcome.push_back(one.outcome);
                for (std::size_t f = 0; f < free_.size(); ++f) {
                    put(found, free_sets_[f], one.sets[f], found.free_low, found.free_high,
                        found.free_missing);
                }
            }
            found.case_start.push_back(static_cast<std::int64_t>(found.outcome.size()));
        }
        return found;
    }

    static void put(FreeRegions& found, const Sets& sets, std::int32_t set,
                    Vector<std::int32_t>& low, Vector<std::int32_t>& high,
                    Vector<std::uint8_t>& missing) {
        const Cells& cells = sets[set];
        missing.push_back(cells.missing ? 1 : 0);
        if (!sets.is_category()) {
            low.push_back(cells.low);
            high.push_back(cells.high);
            return;
        }
        low.push_back(static_cast<std::int32_t>(found.words.size()));
        found.words.insert(found.words.end(), cells.words.begin(), cells.words.end());
        high.push_back(static_cast<std::int32_t>(found.words.size()));
    }

    const DomainTree& tree_;
    std::vector<std::int32_t> free_, stay_, place_;
    std::vector<Sets> stay_sets_, free_sets_;
    std::vector<std::vector<Case>> how_;
    Budget& budget_;
};

FreeRegions DomainTree::merged(FreeRegions given, std::span<const std::int32_t> free,
                               Budget& budget) const {
    try {
        FreeRegions found = Merger(*this, free, budget).run(given);
        found.complete = given.complete;
        return found;
    } catch (const TimeoutExpired&) {
        return given;
    }
}

}  // namespace cattleya::domain
