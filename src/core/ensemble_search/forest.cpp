#include "ensemble_search/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "ensemble/links.hpp"
#include "ensemble/shape.hpp"
#include "ensemble_search/peaks.hpp"
#include "ensemble_search/shelf.hpp"

namespace cattleya::ensemble_search {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Sums of so many bits are exact in single and in double precision, and stay different when they
// are divided.
constexpr double kExactSingle = 0x1p20, kExactDouble = 0x1p40;
constexpr double kLargestSum = 0x1p49;  // in fixed point; many of them still fit 64 bits

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

}  // namespace

Forest::Forest(Attributes attributes, const TreeArrays& trees, const TestArrays& tests,
               const DecisionArrays& decision)
    : attributes_(std::move(attributes)),
      output_(trees.output.begin(), trees.output.end()),
      test_(trees.test.begin(), trees.test.end()),
      words_(tests.words.begin(), tests.words.end()),
      base_(decision.base.begin(), decision.base.end()),
      offset_(decision.offset.begin(), decision.offset.end()),
      cut_(decision.cut.begin(), decision.cut.end()),
      doubt_(decision.doubt.begin(), decision.doubt.end()),
      single_precision_(decision.single_precision),
      in_order_(decision.in_order),
      divisor_(decision.divisor),
      factor_(decision.factor),
      link_scale_(decision.link_scale),
      link_(decision.link),
      peaks_(std::make_shared<Peaks>()),
      shelf_(std::make_shared<Shelf>()) {
    const auto n_outputs = static_cast<std::int32_t>(base_.size());
    if (n_outputs == 0) refuse("an ensemble has at least one output");
    if (offset_.size() != base_.size()) refuse("there must be one offset per output");
    if (!doubt_.empty() && doubt_.size() != base_.size())
        refuse("there must be one doubt per output");
    for (const double doubt : doubt_) {
        if (!(doubt >= 0) || !std::isfinite(doubt)) refuse("doubts are finite numbers from 0 up");
    }
    if (!std::ranges::is_sorted(cut_)) refuse("cuts must rise");
    if ((n_outputs == 1) == cut_.empty()) refuse("a single output has cuts, several have none");
    for (const double number : {divisor_, factor_}) {
        if (!(number > 0) || !std::isfinite(number)) refuse("sums are scaled by positive numbers");
    }
    for (const std::int32_t output : output_) {
        if (output < 0 || output >= n_outputs) refuse("a tree adds to an output that is none");
    }
    width_ = output_.empty() ? n_outputs : 1;
    read_nodes(trees, tests);
    fix_point();
}

void Forest::read_nodes(const TreeArrays& trees, const TestArrays& tests) {
    const std::size_t count = trees.left.size();
    if (trees.right.size() != count || trees.test.size() != count ||
        trees.value.size() % width_ != 0 || trees.tree_start.empty() ||
        (!output_.empty() && output_.size() + 1 != trees.tree_start.size())) {
        refuse("the arrays of the trees do not fit each other");
    }
    ensemble::check_trees(trees.tree_start, trees.left, trees.right);
    const std::size_t n_tests = tests.attribute.size();
    if (tests.level.size() != n_tests || tests.missing_left.size() != n_tests) {
        refuse("the arrays of the tests do not fit each other");
    }
    for (std::size_t i = 0; i < n_tests; ++i) {
        const std::int32_t a = tests.attribute[i];
        if (a < 0 || a >= attributes_.size()) refuse("a test is of no attribute");
        const std::int64_t end = std::int64_t{tests.level[i]} + attributes_.n_words(a);
        if (attributes_.is_category(a) &&
            (tests.level[i] < 0 || end > static_cast<std::int64_t>(words_.size()))) {
            refuse("a test of a category has no set");
        }
    }
    node_.resize(count);
    std::int32_t n_leaves = 0;
    for (std::size_t t = 0; t + 1 < trees.tree_start.size(); ++t) {
        const std::int32_t first = trees.tree_start[t], end = trees.tree_start[t + 1];
        root_.push_back(first);
        for (std::int32_t n = first; n < end; ++n) {
            const std::int32_t left = trees.left[n], right = trees.right[n], test = trees.test[n];
            if (left < 0 || right < 0) {
                node_[n] = {-1, n_leaves++, -1, -1, 0};
                continue;
            }
            if (test < 0 || static_cast<std::size_t>(test) >= n_tests) {
                refuse("node " + std::to_string(n) + " has a test that is none");
            }
            node_[n] = {tests.attribute[test], tests.level[test], left, right,
                        tests.missing_left[test]};
        }
    }
    twin_low_.assign(static_cast<std::size_t>(attributes_.size()), 0);
    for (std::int32_t a = 0; a < attributes_.size(); ++a) {
        twin_high_.push_back(attributes_.n_cells(a) - 1);
    }
    for (const Node& n : node_) {
        if (n.attribute < 0 || attributes_.is_category(n.attribute)) continue;
        if (n.missing_left != 0) {
            twin_high_[n.attribute] = std::min(twin_high_[n.attribute], n.level);
        } else {
            twin_low_[n.attribute] = std::max(twin_low_[n.attribute], n.level + 1);
        }
    }
    value_.assign(trees.value.begin(), trees.value.end());
    if (value_.size() != static_cast<std::size_t>(n_leaves) * width_) {
        refuse("there must be one line of values per leaf");
    }
    if (!std::ranges::all_of(value_, [](double v) { return std::isfinite(v); })) {
        refuse("a leaf adds no finite number");
    }
}

// Finds the scale of the fixed point numbers, and the slack that covers the library's rounding.
void Forest::fix_point() {
    const auto n_leaves = static_cast<std::int64_t>(value_.size()) / width_;
    double largest = 0;  // of any partial sum
    for (std::size_t o = 0; o < base_.size(); ++o) {
        largest = std::max(largest, std::fabs(base_[o]) + std::fabs(before_end(offset_[o])));
    }
    for (const double c : cut_) {
        if (std::isfinite(c)) largest = std::max(largest, std::fabs(before_end(c)));
    }
    for (std::int32_t t = 0; t < n_trees(); ++t) {
        const std::size_t next = t + 1 < n_trees() ? root_[t + 1] : node_.size();
        double most = 0;
        for (std::size_t n = root_[t]; n < next; ++n) {
            if (node_[n].attribute >= 0) continue;
            for (std::int32_t o = 0; o < width_; ++o) {
                most = std::max(most, std::fabs(value_[std::int64_t{node_[n].level} * width_ + o]));
            }
        }
        largest += most;
    }
    if (!std::isfinite(largest * n_trees()) || largest > 0x1p900) {
        refuse("the numbers of the ensemble are too large");
    }
    largest = std::max(largest, 0x1p-900);
    scale_ = std::exp2(std::floor(std::log2(kLargestSum / 32 / largest)));
    // Multiples of this are added without rounding.
    const double exact_bits = single_precision_ ? kExactSingle : kExactDouble;
    const double fine =
        std::min(scale_, std::exp2(std::floor(std::log2(exact_bits / (2 * largest)))));
    const auto is_exact = [&](double v) { return v * fine == std::floor(v * fine); };
    const double unit = single_precision_ ? 0x1p-24 : 0x1p-53;
    const double error = 1.01 * unit * (n_trees() + 10) * 2 * largest;
    slack_ = whole(std::ceil(2 * error * scale_)) + 1;
    const bool as_it_is = divisor_ == 1 && factor_ == 1;
    exact_base_ = std::ranges::all_of(base_, is_exact) &&
                  std::ranges::all_of(offset_, [](double o) { return o == 0; }) &&
                  (factor_ == 1 || cut_.empty()) && std::ranges::all_of(cut_, [&](double c) {
                      return !std::isfinite(c) || (as_it_is && is_exact(c));
                  });
    ceil_.reserve(value_.size());
    floor_.reserve(value_.size());
    pad_.assign(static_cast<std::size_t>(n_leaves), 0);
    all_exact_ = exact_base_;
    // In double precision the slack is so small that every leaf may carry it.
    is_padded_ = !single_precision_ && static_cast<double>(slack_) * n_trees() < kLargestSum / 8;
    for (std::int64_t leaf = 0; leaf < n_leaves; ++leaf) {
        bool exact = true;
        for (std::int32_t o = 0; o < width_; ++o) {
            const double v = value_[leaf * width_ + o];
            ceil_.push_back(whole(std::ceil(v * scale_)));
            floor_.push_back(whole(std::floor(v * scale_)));
            exact = exact && is_exact(v);
        }
        all_exact_ = all_exact_ && exact;
        if (is_padded_ && !exact) pad_[leaf] = slack_;
    }
}

std::int32_t Forest::n_outcomes() const {
    return static_cast<std::int32_t>(cut_.empty() ? base_.size() : cut_.size() + 1);
}

int Forest::sides_of_set(const Node& n, const Box& box) const {
    int found = 0;
    const std::int32_t at = attributes_.first_word(n.attribute);
    for (std::int32_t w = 0; w < attributes_.n_words(n.attribute); ++w) {
        if ((box.words[at + w] & words_[n.level + w]) != 0) found |= 1;
        if ((box.words[at + w] & ~words_[n.level + w]) != 0) found |= 2;
    }
    return found;
}

void Forest::restrict(const Node& n, bool left, Box& box) const {
    const std::int32_t a = n.attribute;
    if (attributes_.is_category(a)) {
        const std::int32_t at = attributes_.first_word(a);
        for (std::int32_t w = 0; w < attributes_.n_words(a); ++w) {
            const std::uint64_t set = words_[n.level + w];
            box.words[at + w] &= left ? set : ~set;
        }
        return;
    }
    if (left) {
        box.high[a] = std::min(box.high[a], n.level);
    } else {
        box.low[a] = std::max(box.low[a], n.level + 1);
    }
    if ((n.missing_left != 0) != left) box.missing[a] = 0;
}

void Forest::leave_out_twins(Box& box) const {
    for (std::int32_t a = 0; a < attributes_.size(); ++a) {
        if (box.missing[a] != 0 && missing_has_twin(a, box)) box.missing[a] = 0;
    }
}

std::int32_t Forest::leaf_of(std::int32_t tree, std::span<const std::int32_t> cells) const {
    std::int32_t n = root_[tree];
    while (node_[n].attribute >= 0) {
        n = goes_left(node_[n], cells[node_[n].attribute]) ? node_[n].left : node_[n].right;
    }
    return n;
}

const Node* Forest::differing(const Box& box) const {
    Vector<std::int32_t> open;
    for (const std::int32_t root : root_) {
        const Node* first = nullptr;
        const double* known = nullptr;
        open.assign(1, root);
        while (!open.empty()) {
            const Node& n = node_[open.back()];
            open.pop_back();
            if (n.attribute < 0) {
                const double* const own = &value_[std::int64_t{n.level} * width_];
                if (known == nullptr) known = own;
                if (!std::equal(known, known + width_, own)) return first;
                continue;
            }
            const int found = sides(n, box);
            if (found == 3 && first == nullptr) first = &n;
            if ((found & 2) != 0) open.push_back(n.right);
            if ((found & 1) != 0) open.push_back(n.left);
        }
    }
    return nullptr;
}

// Whether a sum that is off by what is in doubt could lead to another outcome.
template <class Real>
bool Forest::is_unsure(std::span<const Real> sum) const {
    if (!cut_.empty()) {
        const auto s = static_cast<double>(sum[0]);
        return std::ranges::any_of(cut_, [&](double c) { return std::fabs(s - c) <= doubt_[0]; });
    }
    const std::ptrdiff_t best = std::ranges::max_element(sum) - sum.begin();
    const double least = static_cast<double>(sum[best]) - doubt_[best];
    for (std::size_t o = 0; o < sum.size(); ++o) {
        if (static_cast<std::ptrdiff_t>(o) != best &&
            static_cast<double>(sum[o]) + doubt_[o] >= least) {
            return true;
        }
    }
    return false;
}

template <class Real>
std::int32_t Forest::decide_in(std::span<const std::int32_t> cells, bool doubts) const {
    Vector<Real> sum(base_.size());
    for (std::size_t o = 0; o < sum.size(); ++o) sum[o] = static_cast<Real>(base_[o]);
    for (std::int32_t t = 0; t < n_trees(); ++t) {
        const double* const v = &value_[std::int64_t{node_[leaf_of(t, cells)].level} * width_];
        if (output_.empty()) {
            for (std::int32_t o = 0; o < width_; ++o) sum[o] += static_cast<Real>(v[o]);
        } else {
            sum[output_[t]] += static_cast<Real>(*v);
        }
    }
    for (std::size_t o = 0; o < sum.size(); ++o) {
        if (divisor_ != 1) sum[o] /= static_cast<Real>(divisor_);
        if (factor_ != 1) sum[o] *= static_cast<Real>(factor_);
        if (offset_[o] != 0) sum[o] += static_cast<Real>(offset_[o]);
    }
    if (doubts && is_unsure(std::span<const Real>(sum))) return kUnsure;
    if (cut_.empty()) {
        if (!link_.empty()) {
            for (Real& s : sum) s *= static_cast<Real>(link_scale_);
            ensemble::link(link_, std::span<Real>(sum), sum.size());
        }
        return static_cast<std::int32_t>(std::ranges::max_element(sum) - sum.begin());
    }
    const auto s = static_cast<double>(sum[0]);
    std::int32_t outcome = 0;
    for (const double cut : cut_) outcome += s >= cut ? 1 : 0;
    return outcome;
}

std::int32_t Forest::decided(std::span<const std::int32_t> cells, bool doubts) const {
    return single_precision_ ? decide_in<float>(cells, doubts) : decide_in<double>(cells, doubts);
}

Vector<std::int32_t> Forest::path(std::span<const std::int32_t> cells) const {
    std::int32_t n_tests = 0;
    for (const std::int32_t test : test_) n_tests = std::max(n_tests, test + 1);
    Vector<std::uint8_t> seen(n_tests, 0);
    Vector<std::int32_t> found;
    for (const std::int32_t root : root_) {
        std::int32_t n = root;
        while (node_[n].attribute >= 0) {
            if (seen[test_[n]] == 0) found.push_back(test_[n]);
            seen[test_[n]] = 1;
            n = goes_left(node_[n], cells[node_[n].attribute]) ? node_[n].left : node_[n].right;
        }
    }
    return found;
}

Margin Forest::margin(std::int32_t of, std::int32_t rival) const {
    if (of < 0 || rival < 0 || of >= n_outcomes() || rival >= n_outcomes() || of == rival) {
        refuse("there is no such outcome");
    }
    Margin m{of, rival, -1, -1, 0, 0};
    bool wins_ties = rival < of;
    const auto start = [&](std::int32_t o) { return (base_[o] + before_end(offset_[o])) * scale_; };
    if (cut_.empty()) {
        m.up = rival;
        m.down = of;
        m.constant = whole(std::ceil(start(rival))) - whole(std::floor(start(of)));
    } else {
        // Up: the cut below the rival; down: the one above it.
        const bool up = rival > of;
        const double cut = before_end(cut_[up ? rival - 1 : rival]);
        wins_ties = up;
        (up ? m.up : m.down) = 0;
        const double never = kLargestSum / 2;  // an infinite cut is reached by nothing, or by all
        const double edge = std::isfinite(cut) ? cut * scale_ : std::copysign(never, cut);
        m.constant = up ? whole(std::ceil(start(0))) - whole(std::floor(edge))
                        : whole(std::ceil(edge)) - whole(std::floor(start(0)));
    }
    m.need = wins_ties ? 0 : 1;
    if (!all_exact_ && !is_padded_) m.need = -slack_;
    if (is_padded_ && !exact_base_) m.constant += slack_;
    if (!doubt_.empty()) {  // what could be the rival's is
        const double doubt = cut_.empty() ? doubt_[of] + doubt_[rival] : doubt_[0];
        m.need -= whole(std::ceil(before_end(doubt) * scale_ * 1.01)) + 1;
    }
    return m;
}

Vector<Margin> Forest::rivals(std::int32_t of) const {
    Vector<Margin> found;
    if (!cut_.empty()) {
        if (of > 0) found.push_back(margin(of, of - 1));
        if (of + 1 < n_outcomes()) found.push_back(margin(of, of + 1));
        return found;
    }
    for (std::int32_t k = 0; k < n_outcomes(); ++k) {
        if (k != of) found.push_back(margin(of, k));
    }
    return found;
}

}  // namespace cattleya::ensemble_search
