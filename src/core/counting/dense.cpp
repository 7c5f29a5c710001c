#include "counting/dense.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "counting/evaluate.hpp"
#include "counting/lanes.hpp"
#include "counting/reals.hpp"

namespace cattleya::counting {
namespace {

constexpr std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

// Numbers that may be larger are not bounded.
constexpr double kUnbounded = 0x1p1000;
double bounded(double size) { return std::min(size, kUnbounded); }

constexpr std::uint32_t bit(int i) { return std::uint32_t{1} << i; }

// Two indices into a table, of sums over different vertices, to the index of their sums.
struct Sums {
    std::uint8_t of[kTableSize][kTableSize];
};
constexpr Sums make_sums() {
    Sums sums{};
    for (int a = 0; a < kTableSize; ++a) {
        for (int b = 0; b < kTableSize; ++b) {
            int sum = 0;
            for (int g = 0; g < kMaxGroups; ++g) {
                const int step = power_of_three(g);
                sum += std::min(a / step % 3 + b / step % 3, 2) * step;
            }
            sums.of[a][b] = static_cast<std::uint8_t>(sum);
        }
    }
    return sums;
}
constexpr Sums kSums = make_sums();

}  // namespace

bool Plan::make(std::array<std::uint32_t, kBlockVertices>& near, std::uint32_t three, int n) {
    vertices = n;
    fixed = 0;
    std::uint32_t left = bit(n) - 1;
    int lanes = 1;
    while (left != 0) {  // fix those with the most neighbours
        int best = -1;
        int best_degree = -1;
        for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            const int degree = count_bits(near[as_size(v)] & left);
            if (degree > best_degree && lanes * ((three >> v & 1) ? 3 : 2) <= kMostLanes) {
                best = v;
                best_degree = degree;
            }
        }
        if (best < 0) break;
        lanes *= (three >> best & 1) ? 3 : 2;
        left &= ~bit(best);
        order[as_size(n - ++fixed)] = static_cast<std::int8_t>(best);
    }
    return sum_out(near, three, left);
}

bool Plan::sum_out(std::array<std::uint32_t, kBlockVertices> near, std::uint32_t three,
                   std::uint32_t left) {
    std::uint32_t there = bit(vertices) - 1;
    std::int64_t numbers = 0;
    for (int i = 0; left != 0; ++i) {
        int best = 0;
        int least = std::numeric_limits<int>::max();
        for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            const std::uint32_t around = near[as_size(v)] & there;
            const int size = 2 * count_bits(around) + count_bits(around & three);
            if (size < least) {
                least = size;
                best = v;
            }
        }
        const std::uint32_t around = near[as_size(best)] & there;
        const int of_three = count_bits(around & three);
        std::int64_t size = std::int64_t{1} << (count_bits(around) - of_three);
        for (int k = 0; k < of_three; ++k) size *= 3;
        numbers += size;
        if (numbers > kBlockNumbers) return false;
        order[as_size(i)] = static_cast<std::int8_t>(best);
        left &= ~bit(best);
        there &= ~bit(best);
        for (std::uint32_t rest = around & left; rest != 0; rest &= rest - 1) {
            near[as_size(std::countr_zero(rest))] |= around;
        }
    }
    return true;
}

const std::uint32_t* BlockMachine::run(const std::uint32_t* code, const std::uint32_t* stop,
                                       Budget& budget) {
    while (code < stop) {
        if (*code == 0) {
            run_block(code, budget);
            keep_outcome();
            code += block_number(code + 1);
            continue;
        }
        enclosure.run(code, stop);
        code = ring.run(code, stop);
    }
    return code;
}

void BlockMachine::read_shape(const std::uint32_t* block) {
    target_ = block[kBlockTarget];
    const std::uint32_t shape = block_number(block + kBlockTarget + 1);
    vertices_ = static_cast<int>(shape & 0xFF);
    fixed_ = static_cast<int>(shape >> 8 & 0xFF);
    factors_ = static_cast<int>(shape >> 16);
    own_ = block + kBlockTarget + 3;
}

void BlockMachine::read_block(const std::uint32_t* block) {
    read_shape(block);
    for (int v = 0; v < vertices_; ++v) {
        std::uint32_t& size = domain_[as_size(v)];
        size = 0;
        for (std::uint8_t x = 0; x < 3; ++x) {
            if (own_[4 * v + 1 + x] != kZero) values_[as_size(v)][size++] = x;
        }
    }
    sources_.clear();
    index_.clear();
    tables_.clear();
    steps_.clear();
    inputs_.clear();
    offsets_.clear();
    entries_ = 0;
    const std::uint32_t* at = own_ + 4 * vertices_;
    for (int f = 0; f < factors_; ++f) {
        const int groups = static_cast<int>(*at++);
        std::uint32_t members[kMaxGroups];
        for (int g = 0; g < groups; ++g) members[g] = block_number(at + 2 * g);
        expand_factor(members, groups);
        at += 2 * groups;
        sources_.back().table = at;
        at += power_of_three(groups);
    }
    for (int v = 0; v < vertices_ - fixed_; ++v) plan_steps(v);
}

void BlockMachine::run_block(const std::uint32_t* block, Budget& budget) {
    read_block(block);
    bound_ = bound();
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        tables_[s].limbs = limbs_within(tables_[s].bound);
    }
    for (const Step& step : steps_) {
        Table& to = tables_[step.result];
        to.limbs = limbs_within(to.bound);
        for (std::uint32_t i = 0; i < step.tables; ++i) {
            to.limbs = std::max(to.limbs, tables_[inputs_[step.first + i]].limbs);
        }
    }
    sum_out(false, budget);
    int limbs = limbs_within(bound_);
    for (const Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) limbs = std::max(limbs, table.limbs);
    }
    for (Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) widen(table, limbs, fixed_vertices());
    }
    in_ring(limbs, size_of(fixed_vertices()), [&](auto of) { multiply_fixed(std::move(of)); });
}

// Loads the factors, and takes all steps, every table with the limbs that it has been given.
void BlockMachine::sum_out(bool keep, Budget& budget) {
    whole_.used = 0;
    reals_.used = 0;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (tables_[s].limbs == kReal) {
            load<double>(s);
        } else {
            load<Limb>(s);
        }
    }
    for (const Step& step : steps_) {
        const Table& to = tables_[step.result];
        for (std::uint32_t i = 0; i < step.tables; ++i) {
            widen(tables_[inputs_[step.first + i]], to.limbs, to.scope);
        }
        const std::int64_t width = std::max(to.limbs, 1);
        budget.tick(std::int64_t{to.size} * to.lanes * step.tables * width * width);
        in_ring(to.limbs, to.lanes, [&](auto of) { multiply(std::move(of), step, keep); });
    }
}

std::uint32_t BlockMachine::size_of(std::uint32_t scope) const {
    std::uint32_t size = 1;
    for (; scope != 0; scope &= scope - 1) size *= domain_[as_size(std::countr_zero(scope))];
    return size;
}
// Those that are not fixed.
std::uint32_t BlockMachine::free_vertices() const { return bit(vertices_ - fixed_) - 1; }
std::uint32_t BlockMachine::fixed_vertices() const {
    return (bit(vertices_) - 1) & ~free_vertices();
}

void BlockMachine::expand_factor(const std::uint32_t* groups, int n_groups) {
    std::uint32_t scope = 0;
    for (int g = 0; g < n_groups; ++g) scope |= groups[g];
    // What a vertex adds to the sums of the groups, eight bits each.
    const auto unit = [&](int v) {
        std::uint32_t u = 0;
        for (int g = 0; g < n_groups; ++g) u |= (groups[g] >> v & 1) << (8 * g);
        return u;
    };
    const auto capped = [](std::uint32_t sums) {
        return std::min(sums & 0xFF, 2u) + 3 * std::min(sums >> 8 & 0xFF, 2u) +
               9 * std::min(sums >> 16, 2u);
    };
    // By the values of some vertices, the lowest counting least, the capped sums that they have.
    const auto sums_of = [&](std::uint32_t vertices, std::uint32_t* sums) {
        std::uint32_t size = 1;
        sums[0] = 0;
        for (std::uint32_t rest = vertices; rest != 0; rest &= rest - 1) {
            const std::size_t v = as_size(std::countr_zero(rest));
            const std::uint32_t u = unit(std::countr_zero(rest));
            for (std::uint32_t k = domain_[v]; k-- > 0;) {
                for (std::uint32_t i = 0; i < size; ++i) {
                    sums[k * size + i] = sums[i] + u * values_[v][k];
                }
            }
            size *= domain_[v];
        }
        for (std::uint32_t i = 0; i < size; ++i) sums[i] = capped(sums[i]);
    };
    const std::uint32_t lanes = size_of(scope & ~free_vertices());
    const std::uint32_t size = size_of(scope & free_vertices());
    std::uint32_t of_lane[kMostLanes];
    sums_of(scope & ~free_vertices(), of_lane);
    const std::size_t first = offsets_.size();  // borrowed
    offsets_.resize(first + size);
    sums_of(scope & free_vertices(), offsets_.data() + first);
    const std::size_t start = index_.size();
    index_.resize(start + as_size(size) * lanes);
    std::uint8_t* to = index_.data() + start;
    for (std::size_t i = 0; i < size; ++i, to += lanes) {
        const std::uint32_t entry = offsets_[first + i];
        for (std::uint32_t l = 0; l < lanes; ++l) to[l] = kSums.of[entry][of_lane[l]];
    }
    offsets_.resize(first);
    sources_.push_back({nullptr, power_of_three(n_groups), static_cast<std::uint32_t>(start)});
    tables_.push_back({scope, lanes, entries_, size, scope & ~free_vertices()});
    entries_ += size;
}

// Lower vertices are gone, so v is the lowest of the tables that it is in.
void BlockMachine::plan_steps(int v) {
    candidates_.clear();
    std::uint32_t scope = 0;
    for (std::uint32_t t = 0; t < tables_.size(); ++t) {
        if (tables_[t].scope == 0 || std::countr_zero(tables_[t].scope) != v) continue;
        candidates_.push_back(t);
        scope |= tables_[t].scope;
    }
    const auto numbers_of = [&](std::uint32_t t) { return tables_[t].size * tables_[t].lanes; };
    const std::uint32_t most = size_of(scope);
    std::sort(candidates_.begin(), candidates_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return numbers_of(a) < numbers_of(b); });
    // Two small ones are multiplied first where that is less than half of the work.
    while (candidates_.size() > 2) {
        const std::uint32_t both = tables_[candidates_[0]].scope | tables_[candidates_[1]].scope;
        if (2 * size_of(both) > most) break;
        plan_step(-1, 2);
        candidates_.erase(candidates_.begin(), candidates_.begin() + 2);
        const auto product = static_cast<std::uint32_t>(tables_.size() - 1);
        const auto place =
            std::find_if(candidates_.begin(), candidates_.end(),
                         [&](std::uint32_t t) { return numbers_of(t) >= numbers_of(product); });
        candidates_.insert(place, product);
    }
    plan_step(v, candidates_.size());
}

// A step for the first candidates. The first of all comes first: the vertex's weights are
// multiplied into it.
void BlockMachine::plan_step(int v, std::size_t tables) {
    Step step{v, static_cast<std::uint32_t>(inputs_.size()), static_cast<std::uint32_t>(tables),
              static_cast<std::uint32_t>(offsets_.size()),
              static_cast<std::uint32_t>(tables_.size())};
    std::uint32_t scope = 0;
    for (std::size_t i = 0; i < tables; ++i) {
        inputs_.push_back(candidates_[i]);
        scope |= tables_[candidates_[i]].scope;
    }
    if (v >= 0) scope &= ~bit(v);
    const std::uint32_t size = size_of(scope & free_vertices());
    offsets_.resize(offsets_.size() + as_size(size) * tables);
    for (std::uint32_t i = 0; i < step.tables; ++i) {
        const Table& table = tables_[inputs_[step.first + i]];
        std::uint32_t* const at = offsets_.data() + step.offsets + as_size(size) * i;
        at[0] = 0;
        std::uint32_t filled = 1;
        std::uint32_t stride = v >= 0 ? domain_[as_size(v)] : 1;
        for (std::uint32_t rest = scope & free_vertices(); rest != 0; rest &= rest - 1) {
            const int u = std::countr_zero(rest);
            const std::uint32_t domain = domain_[as_size(u)];
            const std::uint32_t move = (table.scope >> u & 1) != 0 ? stride : 0;
            for (std::uint32_t k = 1; k < domain; ++k) {
                for (std::uint32_t e = 0; e < filled; ++e) at[k * filled + e] = at[e] + k * move;
            }
            filled *= domain;
            if (move != 0) stride *= domain;
        }
    }
    steps_.push_back(step);
    const std::uint32_t of_lanes = scope & ~free_vertices();
    tables_.push_back({scope, size_of(of_lanes), entries_, size, of_lanes});
    entries_ += size;
}

// The size that a number has at most. Whatever may be zero counts as one (see dense_back.cpp), and
// nothing as more than kUnbounded: what was multiplied by that is kUnbounded or, where it is zero
// by structure, zero.
double BlockMachine::most(Slot s) const {
    if (s == kZero) return 0;
    const EnclosureMachine::Cell& cell = enclosure.cell(s);
    const double size = std::floor(std::fabs(cell.value) + cell.error);  // the number is whole
    return size < kUnbounded ? std::max(1.0, size) : kUnbounded;  // also where it is not a number
}

// The size that the component's value has at most: the same sum over sizes, where a table's entry
// is the largest of its lanes. Notes the same for every table.
double BlockMachine::bound() {
    const auto weight = [&](int v, std::uint32_t k) {
        const std::uint32_t* own = own_ + 4 * v;
        const int x = values_[as_size(v)][k];
        return x == 0 ? most(own[1]) : bounded(most(own[0]) * most(own[1 + x]));
    };
    constexpr double kWiden = 1 + 1e-9;  // for the roundings, some thousands in a row at most
    bounds_.resize(entries_);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        double table[kTableSize];
        for (int i = 0; i < sources_[s].size; ++i) {
            table[i] = most(sources_[s].table[i]);
            tables_[s].bound = std::max(tables_[s].bound, table[i]);
        }
        const std::uint8_t* index = index_.data() + sources_[s].start;
        for (std::uint32_t e = 0; e < tables_[s].size; ++e) {
            double high = 0;
            for (std::uint32_t l = 0; l < tables_[s].lanes; ++l) {
                high = std::max(high, table[*index++]);
            }
            bounds_[tables_[s].start + e] = high;
        }
    }
    double result = 1;
    for (const Step& step : steps_) {
        Table& to = tables_[step.result];
        const std::uint32_t domain = step.vertex < 0 ? 1 : domain_[as_size(step.vertex)];
        double weights[3] = {1, 1, 1};
        if (step.vertex >= 0) {
            for (std::uint32_t k = 0; k < domain; ++k) weights[k] = weight(step.vertex, k);
        }
        for (std::uint32_t e = 0; e < to.size; ++e) {
            const std::uint32_t* offset = offsets_.data() + step.offsets + e;
            double sum = 0;
            for (std::uint32_t k = 0; k < domain; ++k) {
                double product = weights[k];
                for (std::uint32_t i = 0; i < step.tables; ++i) {
                    const Table& from = tables_[inputs_[step.first + i]];
                    product =
                        bounded(product * bounds_[from.start + offset[as_size(i) * to.size] + k]);
                }
                sum += product;
            }
            bounds_[to.start + e] = bounded(sum);
            to.bound = std::max(to.bound, sum * kWiden);
        }
    }
    for (const Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) result = bounded(result * bounds_[table.start]);
    }
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        double sum = 0;
        for (std::uint32_t k = 0; k < domain_[as_size(v)]; ++k) sum += weight(v, k);
        result = bounded(result * sum);
    }
    return result * kWiden;
}

// Limbs for signed numbers of at most this size; no more than the ring has.
int BlockMachine::limbs_within(double bound) const {
    if (bound < 0x1p53) return kReal;
    if (bound < 0x1p62) return 1;
    if (!(bound < kUnbounded)) return ring.limbs();
    return std::min(ring.limbs(), limbs_for(std::log2(bound) + 1.1));
}

// Where each lane of a scope is among those of another one, within it; how many there are.
std::uint32_t BlockMachine::find_lanes(std::uint32_t scope, std::uint32_t had,
                                       std::uint32_t* lane) const {
    lane[0] = 0;
    std::uint32_t lanes = 1;
    std::uint32_t stride = 1;
    for (std::uint32_t rest = scope; rest != 0; rest &= rest - 1) {
        const int u = std::countr_zero(rest);
        const std::uint32_t domain = domain_[as_size(u)];
        const std::uint32_t move = (had >> u & 1) != 0 ? stride : 0;
        for (std::uint32_t k = 1; k < domain; ++k) {
            for (std::uint32_t l = 0; l < lanes; ++l) lane[k * lanes + l] = lane[l] + k * move;
        }
        lanes *= domain;
        if (move != 0) stride *= domain;
    }
    return lanes;
}

// Gives a table so many limbs, and the lanes of a scope.
void BlockMachine::widen(Table& table, int limbs, std::uint32_t scope) {
    scope &= ~free_vertices();
    const std::uint32_t had = table.scope & ~free_vertices();
    if (table.limbs == limbs && scope == had) return;
    std::uint32_t lane[kMostLanes];
    const std::uint32_t lanes = find_lanes(scope, had, lane);
    if (limbs == kReal) {
        copy_wider<double, double>(table, limbs, lane, lanes);
    } else if (table.limbs == kReal) {
        copy_wider<double, Limb>(table, limbs, lane, lanes);
    } else {
        copy_wider<Limb, Limb>(table, limbs, lane, lanes);
    }
    table.limbs = limbs;
    table.lanes = lanes;
    table.scope |= scope;
}

template <class From, class To>
void BlockMachine::copy_wider(Table& table, int limbs, const std::uint32_t* lane,
                              std::uint32_t lanes) {
    const std::size_t width = as_size(std::max(limbs, 1));
    const std::size_t place = store<To>().take(table.size * lanes * width);
    const From* entry = store<From>().at(table.place);
    To* to = store<To>().at(place);
    const std::size_t step = table.lanes * as_size(std::max(table.limbs, 1));
    // Where the sizes are known to the compiler this is several times faster.
    const auto copy = [&](auto from_limbs, auto to_limbs) {
        for (std::uint32_t e = 0; e < table.size; ++e, entry += step) {
            if (std::is_same_v<To, double> && table.lanes == 1) {
                to = std::fill_n(to, lanes, static_cast<To>(*entry));
                continue;
            }
            for (std::uint32_t l = 0; l < lanes; ++l, to += to_limbs) {
                const From* const from = entry + as_size(lane[l]) * as_size(from_limbs);
                if constexpr (std::is_same_v<To, double>) {
                    *to = *from;
                } else {
                    Limb sign = 0;
                    if constexpr (std::is_same_v<From, double>) {
                        const auto number = static_cast<std::int64_t>(*from);
                        *to = static_cast<Limb>(number);
                        sign = number < 0 ? ~Limb{0} : 0;
                    } else {
                        for (int i = 0; i < from_limbs; ++i) to[i] = from[i];
                        sign = Limb{0} - (from[from_limbs - 1] >> 63);
                    }
                    for (int i = from_limbs; i < to_limbs; ++i) to[i] = sign;
                }
            }
        }
    };
    using One = std::integral_constant<int, 1>;
    using Two = std::integral_constant<int, 2>;
    if (limbs <= 1) {
        copy(One{}, One{});
    } else if (limbs == 2 && table.limbs <= 1) {
        copy(One{}, Two{});
    } else if (limbs == 2) {
        copy(Two{}, Two{});
    } else {
        copy(std::max(table.limbs, 1), limbs);
    }
    table.place = place;
}

// The numbers of a factor.
template <class Number>
void BlockMachine::load(std::size_t s) {
    Table& table = tables_[s];
    const std::size_t width = as_size(std::max(table.limbs, 1));
    const std::size_t count = as_size(table.size) * table.lanes;
    table.place = store<Number>().take(count * width);
    const std::uint8_t* const index = index_.data() + sources_[s].start;
    const std::uint32_t* const slots = sources_[s].table;
    Number* to = store<Number>().at(table.place);
    if (width == 1) {
        Number values[kTableSize];
        for (int i = 0; i < sources_[s].size; ++i) read(slots[i], values + i, 1);
        for (std::size_t i = 0; i < count; ++i) to[i] = values[index[i]];
        return;
    }
    for (std::size_t i = 0; i < count; ++i, to += width) read(slots[index[i]], to, width);
}

// t := t weights[k], where k counts the entries through up to the domain again and again.
template <class InRing>
void BlockMachine::scale_entries(InRing& of, typename InRing::Number* t, std::size_t size,
                                 std::uint32_t domain, const typename InRing::Number* weights) {
    if constexpr (std::is_same_v<typename InRing::Number, double>) {
        scale(t, {size, domain, of.entry()}, weights);
    } else {
        for (std::size_t e = 0; e < size; e += domain) {
            for (std::uint32_t k = 0; k < domain; ++k) {
                for (std::size_t l = 0; l < of.entry(); l += of.width(), t += of.width()) {
                    of.multiply_one(t, t, weights + k * of.width());
                }
            }
        }
    }
}

template <class InRing>
void BlockMachine::multiply(InRing of, const Step& step, bool keep) {
    using Number = typename InRing::Number;
    Store<Number>& in = store<Number>();
    const std::size_t entry = of.entry();
    Table& to = tables_[step.result];
    to.place = in.take((to.size + 1) * entry);
    const bool sums = step.vertex >= 0;
    const std::uint32_t domain = sums ? domain_[as_size(step.vertex)] : 1;
    if (sums) {
        load_weights(of, step.vertex);
        Table& least = tables_[inputs_[step.first]];
        if (keep) {
            least.unweighted = in.take(least.size * entry);
            std::copy_n(in.at(least.place), least.size * entry, in.at(least.unweighted));
        }
        scale_entries(of, in.at(least.place), least.size, domain, in.weights.data());
    }
    in.multiplied.resize(step.tables);
    Number** const inputs = in.multiplied.data();
    for (std::uint32_t i = 0; i < step.tables; ++i) {
        inputs[i] = in.at(tables_[inputs_[step.first + i]].place);
    }
    if constexpr (std::is_same_v<Number, double>) {
        if (step.tables == 2) {
            const std::uint32_t* const offset = offsets_.data() + step.offsets;
            return sum_products(in.at(to.place), {to.size, domain, entry}, {inputs[0], offset},
                                {inputs[1], offset + to.size});
        }
    }
    Number* sum = in.at(to.place);
    Number* const product = sum + to.size * entry;
    for (std::uint32_t e = 0; e < to.size; ++e, sum += entry) {
        const std::uint32_t* offset = offsets_.data() + step.offsets + e;
        std::fill_n(sum, entry, Number{0});
        for (std::uint32_t k = 0; k < domain; ++k) {
            const auto at_input = [&](std::uint32_t i) {
                return inputs[i] + (offset[as_size(i) * to.size] + k) * entry;
            };
            if (step.tables == 1) {
                of.accumulate(sum, at_input(0));
                continue;
            }
            const Number* so_far = at_input(0);
            for (std::uint32_t i = 1; i + 1 < step.tables; ++i) {
                of.multiply(product, so_far, at_input(i));
                so_far = product;
            }
            of.accumulate_product(sum, so_far, at_input(step.tables - 1));
        }
    }
}

// The sum over the lanes of what is left is the value.
template <class InRing>
void BlockMachine::multiply_fixed(InRing of) {
    using Number = typename InRing::Number;
    Store<Number>& in = store<Number>();
    const std::size_t width = of.width();
    in.product.assign(width + of.entry(), 0);
    Number* const total = in.product.data() + width;
    total[0] = 1;
    std::size_t filled = width;
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        load_weights(of, v);
        for (std::uint32_t k = domain_[as_size(v)]; k-- > 0;) {
            for (std::size_t l = 0; l < filled; l += width) {
                of.multiply_one(total + k * filled + l, total + l, in.weights.data() + k * width);
            }
        }
        filled *= domain_[as_size(v)];
    }
    for (const Table& table : tables_) {
        if ((table.scope & free_vertices()) == 0) of.multiply(total, total, in.at(table.place));
    }
    for (std::size_t i = 0; i < of.entry(); i += width) {
        of.accumulate_one(in.product.data(), total + i);
    }
    finish(in.product.data(), of.limbs());
}

// Puts the value into its slot: exactly, where the bound says that it fits.
void BlockMachine::finish(const Limb* value, int limbs) {
    const Limb sign = Limb{0} - (value[limbs - 1] >> 63);
    EnclosureMachine::Cell cell{
        0, bound_ < kUnbounded ? bound_ : std::numeric_limits<double>::infinity()};
    if (bound_ < std::ldexp(1.0, std::min(64 * limbs - 1, 1000))) {
        double size = 0;
        for (int i = limbs; i-- > 0;) {
            size = size * 0x1p64 + static_cast<double>(value[i] ^ sign);
        }
        if (sign != 0) size = -size - 1;
        cell = {size, std::fabs(size) * 0x1p-48};
    }
    set_outcome(value, limbs, cell);
}
void BlockMachine::finish(const double* value, int) {
    const Limb number = static_cast<Limb>(static_cast<std::int64_t>(*value));
    set_outcome(&number, 1, {*value, 0});
}
void BlockMachine::set_outcome(const Limb* value, int limbs, const EnclosureMachine::Cell& cell) {
    Limb* const to = ring.value(target_);
    const Limb sign = Limb{0} - (value[limbs - 1] >> 63);
    for (int i = 0; i < ring.limbs(); ++i) to[i] = i < limbs ? value[i] : sign;
    enclosure.set(target_, cell);
}

}  // namespace cattleya::counting
