#include "counting/dense.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "counting/evaluate.hpp"

namespace cattleya::counting {
namespace {

constexpr std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }
constexpr std::uint32_t bit(int i) { return std::uint32_t{1} << i; }

// The sum of two entries of a one-group table, digit by digit with at most two each.
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

// Arithmetic on numbers of N limbs, one per lane; N = 0 means that the number of limbs is known
// only at run time.
template <int N>
class Lanes {
   public:
    Lanes(int limbs, std::uint32_t lanes)
        : limbs_(N == 0 ? limbs : N), end_(lanes * width()), ring_(limbs) {
        if (N == 0 || N > 2) product_.resize(width());
    }

    int limbs() const { return limbs_; }
    std::size_t width() const { return N == 0 ? as_size(limbs_) : as_size(N); }
    std::size_t entry() const { return end_; }  // limbs of all lanes

    // t := a b
    void multiply(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) multiply_one(t + i, a + i, b + i);
    }
    // t := t b, with the same b in all lanes
    void scale(Limb* t, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) multiply_one(t + i, t + i, b);
    }
    // t += a b
    void accumulate_product(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < end_; i += width()) {
            if constexpr (N == 1) {
                t[i] += a[i] * b[i];
            } else {
                ring_.accumulate_product(t + i, a + i, b + i);
            }
        }
    }
    // t += a
    void accumulate(Limb* t, const Limb* a) {
        for (std::size_t i = 0; i < end_; i += width()) ring_.accumulate(t + i, a + i);
    }
    void multiply_one(Limb* t, const Limb* a, const Limb* b) {
        if constexpr (N == 1) {
            *t = *a * *b;
        } else if constexpr (N == 2) {
            const DoubleLimb p =
                (DoubleLimb{a[1]} << 64 | a[0]) * (DoubleLimb{b[1]} << 64 | b[0]);
            t[0] = static_cast<Limb>(p);
            t[1] = static_cast<Limb>(p >> 64);
        } else {
            std::fill(product_.begin(), product_.end(), Limb{0});
            ring_.accumulate_product(product_.data(), a, b);
            std::copy(product_.begin(), product_.end(), t);
        }
    }

   private:
    int limbs_;
    std::size_t end_;
    Ring<N> ring_;
    Vector<Limb> product_;
};

}  // namespace

bool Plan::make(std::array<std::uint32_t, kBlockVertices>& near, std::uint32_t three, int n) {
    vertices = n;
    fixed = 0;
    std::uint32_t left = bit(n) - 1;
    int lanes = 1;
    for (const int most : {kFewLanes, kMostLanes}) {
        while (left != 0) {  // fix those with the most neighbours
            int best = -1;
            int best_degree = -1;
            for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                const int degree = count_bits(near[as_size(v)] & left);
                if (degree > best_degree && lanes * ((three >> v & 1) ? 3 : 2) <= most) {
                    best = v;
                    best_degree = degree;
                }
            }
            if (best < 0) break;
            lanes *= (three >> best & 1) ? 3 : 2;
            left &= ~bit(best);
            order[as_size(n - ++fixed)] = static_cast<std::int8_t>(best);
        }
        if (sum_out(near, three, left, lanes)) return true;
    }
    return false;
}

bool Plan::sum_out(std::array<std::uint32_t, kBlockVertices> near, std::uint32_t three,
                   std::uint32_t left, int lanes) {
    std::int64_t entries = 0;
    for (int i = 0; left != 0; ++i) {
        int best = 0;
        int least = std::numeric_limits<int>::max();
        for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            const std::uint32_t around = near[as_size(v)] & left;
            const int size = 2 * count_bits(around) + count_bits(around & three);
            if (size < least) {
                least = size;
                best = v;
            }
        }
        const std::uint32_t around = near[as_size(best)] & left;
        const int of_three = count_bits(around & three);
        std::int64_t size = std::int64_t{1} << (count_bits(around) - of_three);
        for (int k = 0; k < of_three; ++k) size *= 3;
        entries += lanes * size;
        if (entries > kBlockEntries) return false;
        order[as_size(i)] = static_cast<std::int8_t>(best);
        left &= ~bit(best);
        for (std::uint32_t rest = around & left; rest != 0; rest &= rest - 1) {
            near[as_size(std::countr_zero(rest))] |= around;
        }
    }
    return true;
}

void BlockMachine::run(const std::uint32_t* code, const std::uint32_t* end) {
    while (code != end) {
        if (*code == 0) {
            read_block(code);
            code += code[1];
            continue;
        }
        enclosure.run(code, end);
        code = machine.run(code, end);
    }
}

void BlockMachine::read_block(const std::uint32_t* block) {
    target_ = block[2];
    vertices_ = static_cast<int>(block[3] & 0xFF);
    fixed_ = static_cast<int>(block[3] >> 8 & 0xFF);
    const int factors = static_cast<int>(block[3] >> 16);
    own_ = block + 4;
    lanes_ = 1;
    for (int v = 0; v < vertices_; ++v) {
        std::uint32_t& size = domain_[as_size(v)];
        size = 0;
        for (std::uint8_t x = 0; x < 3; ++x) {
            if (own_[4 * v + 1 + x] != kZero) values_[as_size(v)][size++] = x;
        }
        if (v < vertices_ - fixed_) continue;
        for (std::uint32_t l = 0; l < kMostLanes; ++l) {
            lane_[as_size(v)][l] = static_cast<std::uint8_t>(l / lanes_ % size);
        }
        lanes_ *= size;
    }
    sources_.clear();
    index_.clear();
    tables_.clear();
    steps_.clear();
    inputs_.clear();
    offsets_.clear();
    entries_ = 0;
    const std::uint32_t* at = own_ + 4 * vertices_;
    for (int f = 0; f < factors; ++f) {
        const int groups = static_cast<int>(*at++);
        expand_factor(at, groups);
        at += groups;
        sources_.back().table = at;
        at += power_of_three(groups);
    }
    for (int v = 0; v < vertices_ - fixed_; ++v) plan_step(v);
    const double most = bound();
    used_ = 0;
    for (std::size_t t = 0; t < sources_.size(); ++t) load(t);
    for (int v = 0; v < vertices_ - fixed_; ++v) {
        const Step& step = steps_[as_size(v)];
        int limbs = limbs_within(tables_[step.result].bound);
        for (std::uint32_t i = 0; i < step.tables; ++i) {
            limbs = std::max(limbs, tables_[inputs_[step.first + i]].limbs);
        }
        for (std::uint32_t i = 0; i < step.tables; ++i) {
            widen(tables_[inputs_[step.first + i]], limbs);
        }
        in_ring(limbs, [&](auto ring) { sum_out(std::move(ring), step, v); });
    }
    int limbs = limbs_within(most);
    for (const Table& table : tables_) {
        if (table.scope == 0) limbs = std::max(limbs, table.limbs);
    }
    for (Table& table : tables_) {
        if (table.scope == 0) widen(table, limbs);
    }
    in_ring(limbs, [&](auto ring) { multiply_fixed(std::move(ring)); });
    finish(product_.data(), limbs, most);
}

template <class Work>
void BlockMachine::in_ring(int limbs, Work&& work) {
    if (limbs == 1) return work(Lanes<1>(1, lanes_));
    if (limbs == 2) return work(Lanes<2>(2, lanes_));
    if (limbs == 3) return work(Lanes<3>(3, lanes_));
    work(Lanes<0>(limbs, lanes_));
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
    std::uint32_t of_lane[kMostLanes] = {};
    bool fixed = false;
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        if ((scope >> v & 1) == 0) continue;
        fixed = true;
        const std::uint32_t u = unit(v);
        for (std::uint32_t l = 0; l < lanes_; ++l) {
            of_lane[l] += u * values_[as_size(v)][lane_[as_size(v)][l]];
        }
    }
    if (fixed) {
        for (std::uint32_t l = 0; l < lanes_; ++l) of_lane[l] = capped(of_lane[l]);
    }
    scope &= bit(vertices_ - fixed_) - 1;
    const std::size_t first = offsets_.size();  // borrowed
    offsets_.push_back(0);
    for (std::uint32_t rest = scope; rest != 0; rest &= rest - 1) {
        const int v = std::countr_zero(rest);
        const std::size_t size = offsets_.size() - first;
        const std::uint32_t u = unit(v);
        for (std::uint32_t k = 1; k < domain_[as_size(v)]; ++k) {
            for (std::size_t i = 0; i < size; ++i) {
                offsets_.push_back(offsets_[first + i] + u * (values_[as_size(v)][k]));
            }
        }
        for (std::size_t i = 0; i < size; ++i) offsets_[first + i] += u * values_[as_size(v)][0];
    }
    const std::size_t size = offsets_.size() - first;
    const std::size_t start = index_.size();
    index_.resize(start + size * lanes_);
    std::uint8_t* to = index_.data() + start;
    for (std::size_t i = 0; i < size; ++i, to += lanes_) {
        const std::uint32_t entry = capped(offsets_[first + i]);
        if (!fixed) {
            std::fill_n(to, lanes_, static_cast<std::uint8_t>(entry));
            continue;
        }
        for (std::uint32_t l = 0; l < lanes_; ++l) to[l] = kSums.of[entry][of_lane[l]];
    }
    offsets_.resize(first);
    sources_.push_back({nullptr, power_of_three(n_groups), static_cast<std::uint32_t>(start)});
    tables_.push_back({scope, entries_, static_cast<std::uint32_t>(size), 0, 0, 0});
    entries_ += static_cast<std::uint32_t>(size);
}

void BlockMachine::plan_step(int v) {
    Step step{static_cast<std::uint32_t>(inputs_.size()), 0,
              static_cast<std::uint32_t>(offsets_.size()), 0};
    std::uint32_t scope = 0;
    for (std::uint32_t t = 0; t < tables_.size(); ++t) {
        // lower ones are gone, so v is the lowest of the tables that it is in
        if (tables_[t].scope == 0 || std::countr_zero(tables_[t].scope) != v) continue;
        inputs_.push_back(t);
        scope |= tables_[t].scope;
        ++step.tables;
    }
    // The smallest comes first: the vertex's weights are multiplied into it.
    for (std::uint32_t i = 1; i < step.tables; ++i) {
        std::uint32_t* const in = inputs_.data() + step.first;
        if (tables_[in[i]].size < tables_[in[0]].size) std::swap(in[i], in[0]);
    }
    scope &= ~bit(v);
    std::uint32_t size = 1;
    for (std::uint32_t rest = scope; rest != 0; rest &= rest - 1) {
        size *= domain_[as_size(std::countr_zero(rest))];
    }
    offsets_.resize(offsets_.size() + as_size(size) * step.tables);
    for (std::uint32_t i = 0; i < step.tables; ++i) {
        const Table& table = tables_[inputs_[step.first + i]];
        std::uint32_t* const at = offsets_.data() + step.offsets + as_size(size) * i;
        at[0] = 0;
        std::uint32_t filled = 1;
        std::uint32_t stride = domain_[as_size(v)];
        for (std::uint32_t rest = scope; rest != 0; rest &= rest - 1) {
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
    step.result = static_cast<std::uint32_t>(tables_.size());
    steps_.push_back(step);
    tables_.push_back({scope, entries_, size, 0, 0, 0});
    entries_ += size;
}

double BlockMachine::most(Slot s) const {
    const EnclosureMachine::Cell& cell = enclosure.cell(s);
    return std::floor(std::fabs(cell.value) + cell.error);  // the number is whole
}

// The size that the component's value has at most: the same sum over sizes, where a table's entry
// is the largest of its lanes. Notes the same for every table.
double BlockMachine::bound() {
    const auto weight = [&](int v, std::uint32_t k) {
        const std::uint32_t* own = own_ + 4 * v;
        const int x = values_[as_size(v)][k];
        return x == 0 ? most(own[1]) : most(own[0]) * most(own[1 + x]);
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
            for (std::uint32_t l = 0; l < lanes_; ++l) high = std::max(high, table[*index++]);
            bounds_[tables_[s].start + e] = high;
        }
    }
    int v = 0;
    double result = 1;
    for (const Step& step : steps_) {
        Table& to = tables_[step.result];
        const std::uint32_t domain = domain_[as_size(v)];
        double weights[3];
        for (std::uint32_t k = 0; k < domain; ++k) weights[k] = weight(v, k);
        for (std::uint32_t e = 0; e < to.size; ++e) {
            const std::uint32_t* offset = offsets_.data() + step.offsets + e;
            double sum = 0;
            for (std::uint32_t k = 0; k < domain; ++k) {
                double product = weights[k];
                for (std::uint32_t i = 0; i < step.tables; ++i) {
                    const Table& from = tables_[inputs_[step.first + i]];
                    product *= bounds_[from.start + offset[as_size(i) * to.size] + k];
                }
                sum += product;
            }
            bounds_[to.start + e] = sum;
            to.bound = std::max(to.bound, sum * kWiden);
        }
        ++v;
    }
    for (const Table& table : tables_) {
        if (table.scope == 0) result *= bounds_[table.start];
    }
    for (; v < vertices_; ++v) {
        double sum = 0;
        for (std::uint32_t k = 0; k < domain_[as_size(v)]; ++k) sum += weight(v, k);
        result *= sum;
    }
    return result * kWiden;
}

// Limbs for signed numbers of at most this size; no more than the ring has.
int BlockMachine::limbs_within(double bound) const {
    if (bound < 0x1p62) return 1;
    if (!(bound < 0x1p1000)) return machine.limbs();
    return std::min(machine.limbs(), limbs_for(std::log2(bound) + 1.1));
}

std::size_t BlockMachine::take(std::size_t limbs) {
    const std::size_t place = used_;
    used_ += limbs;
    if (numbers_.size() < used_) numbers_.resize(2 * used_);
    return place;
}

void BlockMachine::widen(Table& table, int limbs) {
    if (table.limbs == limbs) return;
    const std::size_t count = as_size(table.size) * lanes_;
    const int width = table.limbs;
    const std::size_t place = take(count * as_size(limbs));
    const Limb* from = numbers(table);
    Limb* to = numbers_.data() + place;
    for (std::size_t i = 0; i < count; ++i, from += width, to += limbs) {
        for (int l = 0; l < width; ++l) to[l] = from[l];
        const Limb sign = Limb{0} - (from[width - 1] >> 63);
        for (int l = width; l < limbs; ++l) to[l] = sign;
    }
    table.place = place;
    table.limbs = limbs;
}

// The numbers of a factor.
void BlockMachine::load(std::size_t s) {
    Table& table = tables_[s];
    table.limbs = limbs_within(table.bound);
    const std::size_t count = as_size(table.size) * lanes_;
    table.place = take(count * as_size(table.limbs));
    const std::uint8_t* const index = index_.data() + sources_[s].start;
    const std::uint32_t* const slots = sources_[s].table;
    Limb* to = numbers(table);
    if (table.limbs == 1) {
        Limb values[kTableSize];
        for (int i = 0; i < sources_[s].size; ++i) values[i] = *machine.value(slots[i]);
        for (std::size_t i = 0; i < count; ++i) to[i] = values[index[i]];
        return;
    }
    for (std::size_t i = 0; i < count; ++i, to += table.limbs) {
        std::copy_n(machine.value(slots[index[i]]), table.limbs, to);
    }
}

// weights_[k] := what the k-th value of v weighs.
template <class Ring>
void BlockMachine::load_weights(Ring& ring, int v) {
    const std::uint32_t* own = own_ + 4 * v;
    const std::size_t width = ring.width();
    weights_.resize(3 * width);
    for (std::uint32_t k = 0; k < domain_[as_size(v)]; ++k) {
        const int x = values_[as_size(v)][k];
        Limb* const at = weights_.data() + k * width;
        std::copy_n(machine.value(own[1 + x]), width, at);
        if (x == 0) continue;
        ring.multiply_one(at, at, machine.value(own[0]));
        if (x == 2) continue;
        bool carry = true;
        for (std::size_t i = 0; i < width; ++i) {
            at[i] = ~at[i] + carry;
            carry = carry && at[i] == 0;
        }
    }
}

template <class Ring>
void BlockMachine::sum_out(Ring ring, const Step& step, int v) {
    const std::size_t entry = ring.entry();
    Table& to = tables_[step.result];
    to.limbs = ring.limbs();
    to.place = take((to.size + 1) * entry);
    const std::uint32_t domain = domain_[as_size(v)];
    load_weights(ring, v);
    const Table& least = tables_[inputs_[step.first]];
    Limb* at = numbers(least);
    for (std::uint32_t e = 0; e < least.size; e += domain) {
        for (std::uint32_t k = 0; k < domain; ++k, at += entry) {
            ring.scale(at, weights_.data() + k * ring.width());
        }
    }
    Limb* inputs[kMaxIncident];
    for (std::uint32_t i = 0; i < step.tables; ++i) {
        inputs[i] = numbers(tables_[inputs_[step.first + i]]);
    }
    Limb* sum = numbers(to);
    Limb* const product = sum + to.size * entry;
    for (std::uint32_t e = 0; e < to.size; ++e, sum += entry) {
        const std::uint32_t* offset = offsets_.data() + step.offsets + e;
        std::fill_n(sum, entry, Limb{0});
        for (std::uint32_t k = 0; k < domain; ++k) {
            const auto at_input = [&](std::uint32_t i) {
                return inputs[i] + (offset[as_size(i) * to.size] + k) * entry;
            };
            if (step.tables == 1) {
                ring.accumulate(sum, at_input(0));
                continue;
            }
            const Limb* so_far = at_input(0);
            for (std::uint32_t i = 1; i + 1 < step.tables; ++i) {
                ring.multiply(product, so_far, at_input(i));
                so_far = product;
            }
            ring.accumulate_product(sum, so_far, at_input(step.tables - 1));
        }
    }
}

// product_ := the sum over the lanes of what is left.
template <class Ring>
void BlockMachine::multiply_fixed(Ring ring) {
    const std::size_t width = ring.width();
    product_.assign(width + ring.entry(), 0);
    Limb* const total = product_.data() + width;
    for (std::size_t i = 0; i < ring.entry(); i += width) total[i] = 1;
    for (const Table& table : tables_) {
        if (table.scope == 0) ring.multiply(total, total, numbers(table));
    }
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        load_weights(ring, v);
        for (std::uint32_t l = 0; l < lanes_; ++l) {
            Limb* const at = total + l * width;
            ring.multiply_one(at, at, weights_.data() + lane_[as_size(v)][l] * width);
        }
    }
    for (std::uint32_t l = 0; l < lanes_; ++l) {
        counting::Ring<0>(ring.limbs()).accumulate(product_.data(), total + l * width);
    }
}

// Puts the value into its slot: exactly, where the bound says that it fits.
void BlockMachine::finish(const Limb* value, int limbs, double bound) {
    Limb* const to = machine.value(target_);
    const Limb sign = Limb{0} - (value[limbs - 1] >> 63);
    for (int i = 0; i < machine.limbs(); ++i) to[i] = i < limbs ? value[i] : sign;
    EnclosureMachine::Cell cell{0, bound};
    if (bound < std::ldexp(1.0, std::min(64 * limbs - 1, 1000))) {
        double size = 0;
        for (int i = limbs; i-- > 0;) {
            size = size * 0x1p64 + static_cast<double>(value[i] ^ sign);
        }
        if (sign != 0) size = -size - 1;
        cell = {size, std::fabs(size) * 0x1p-48};
    }
    enclosure.set(target_, cell);
}

}  // namespace cattleya::counting
