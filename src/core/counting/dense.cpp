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

// Arithmetic on many numbers of N limbs beside each other; N = 0 means that the number of limbs is
// known only at run time.
template <int N>
struct Lanes {
    explicit Lanes(int n) : limbs(N == 0 ? n : N), product(N == 0 ? as_size(n) : 0) {}

    std::size_t width() const { return N == 0 ? as_size(limbs) : as_size(N); }

    static DoubleLimb get(const Limb* a) { return DoubleLimb{a[1]} << 64 | a[0]; }
    static void put(Limb* t, DoubleLimb number) {
        t[0] = static_cast<Limb>(number);
        t[1] = static_cast<Limb>(number >> 64);
    }
    // t := a b
    void multiply(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < as_size(kLanes) * width(); i += width()) {
            if constexpr (N == 1) {
                t[i] = a[i] * b[i];
            } else if constexpr (N == 2) {
                put(t + i, get(a + i) * get(b + i));
            } else {
                std::fill(product.begin(), product.end(), Limb{0});
                Ring<0>(limbs).accumulate_product(product.data(), a + i, b + i);
                std::copy(product.begin(), product.end(), t + i);
            }
        }
    }
    // t += a b
    void accumulate_product(Limb* t, const Limb* a, const Limb* b) {
        for (std::size_t i = 0; i < as_size(kLanes) * width(); i += width()) {
            if constexpr (N == 1) {
                t[i] += a[i] * b[i];
            } else if constexpr (N == 2) {
                put(t + i, get(t + i) + get(a + i) * get(b + i));
            } else {
                Ring<0>(limbs).accumulate_product(t + i, a + i, b + i);
            }
        }
    }
    // t += a
    void accumulate(Limb* t, const Limb* a) {
        for (std::size_t i = 0; i < as_size(kLanes) * width(); i += width()) {
            if constexpr (N == 1) {
                t[i] += a[i];
            } else if constexpr (N == 2) {
                put(t + i, get(t + i) + get(a + i));
            } else {
                Ring<0>(limbs).accumulate(t + i, a + i);
            }
        }
    }

    int limbs;
    Vector<Limb> product;
};

}  // namespace

bool Plan::make(std::array<std::uint32_t, kBlockVertices>& near, std::uint32_t three, int n) {
    vertices = n;
    fixed = 0;
    std::uint32_t left = n == 32 ? ~std::uint32_t{0} : bit(n) - 1;
    int lanes = 1;
    while (left != 0) {  // fix those with the most neighbours
        int best = -1;
        int best_degree = -1;
        for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            const int degree = count_bits(near[as_size(v)] & left);
            if (degree > best_degree && lanes * ((three >> v & 1) ? 3 : 2) <= kLanes) {
                best = v;
                best_degree = degree;
            }
        }
        if (best < 0) break;
        lanes *= (three >> best & 1) ? 3 : 2;
        left &= ~bit(best);
        order[as_size(n - ++fixed)] = static_cast<std::int8_t>(best);
    }
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
        entries += kLanes * size;
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
        for (std::uint32_t l = 0; l < kLanes; ++l) {  // lanes that mean nothing repeat others
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
    const int limbs = std::min(machine.limbs(), most < 0x1p1000 ? limbs_for(std::log2(most + 2) + 1.01) : machine.limbs());
    if (limbs == 1) {
        evaluate<1>(1);
    } else if (limbs == 2) {
        evaluate<2>(2);
    } else {
        evaluate<0>(limbs);
    }
    finish(numbers_.data(), limbs, most);
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
    std::uint32_t of_lane[kLanes] = {};
    for (int v = vertices_ - fixed_; v < vertices_; ++v) {
        if ((scope >> v & 1) == 0) continue;
        for (int l = 0; l < kLanes; ++l) {
            of_lane[l] += unit(v) * values_[as_size(v)][lane_[as_size(v)][as_size(l)]];
        }
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
    index_.resize(start + size * kLanes);
    std::uint8_t* to = index_.data() + start;
    for (std::size_t i = 0; i < size; ++i) {
        for (int l = 0; l < kLanes; ++l) {
            const std::uint32_t sums = offsets_[first + i] + of_lane[l];
            const std::uint32_t a = std::min(sums & 0xFF, 2u);
            const std::uint32_t b = std::min(sums >> 8 & 0xFF, 2u);
            const std::uint32_t c = std::min(sums >> 16, 2u);
            *to++ = static_cast<std::uint8_t>(a + 3 * b + 9 * c);
        }
    }
    offsets_.resize(first);
    sources_.push_back({nullptr, power_of_three(n_groups), static_cast<std::uint32_t>(start)});
    tables_.push_back({scope, entries_, static_cast<std::uint32_t>(size)});
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
        at[0] = table.start;
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
    tables_.push_back({scope, entries_, size});
    entries_ += size;
}

// The size that the component's value has at most: the same sum over sizes, where a table's entry
// is the largest of its lanes.
double BlockMachine::bound() const {
    const auto most = [&](Slot s) {
        const EnclosureMachine::Cell& cell = enclosure.cell(s);
        return std::floor(std::fabs(cell.value) + cell.error);  // the number is whole
    };
    const auto weight = [&](int v, std::uint32_t k) {
        const std::uint32_t* own = own_ + 4 * v;
        const int x = values_[as_size(v)][k];
        return x == 0 ? most(own[1]) : most(own[0]) * most(own[1 + x]);
    };
    bounds_.resize(entries_);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        double table[kTableSize];
        for (int i = 0; i < sources_[s].size; ++i) table[i] = most(sources_[s].table[i]);
        const std::uint8_t* index = index_.data() + sources_[s].start;
        for (std::uint32_t e = 0; e < tables_[s].size; ++e) {
            double high = 0;
            for (int l = 0; l < kLanes; ++l) high = std::max(high, table[*index++]);
            bounds_[tables_[s].start + e] = high;
        }
    }
    int v = 0;
    double result = 1;
    for (const Step& step : steps_) {
        const Table& to = tables_[step.result];
        const std::uint32_t domain = domain_[as_size(v)];
        double weights[3];
        for (std::uint32_t k = 0; k < domain; ++k) weights[k] = weight(v, k);
        for (std::uint32_t e = 0; e < to.size; ++e) {
            const std::uint32_t* offset = offsets_.data() + step.offsets + e;
            double sum = 0;
            for (std::uint32_t k = 0; k < domain; ++k) {
                double product = weights[k];
                for (std::uint32_t i = 0; i < step.tables; ++i) {
                    product *= bounds_[offset[as_size(i) * to.size] + k];
                }
                sum += product;
            }
            bounds_[to.start + e] = sum;
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
    return result * (1 + 1e-9);  // for the roundings, some thousands in a row at most
}

template <int N>
void BlockMachine::evaluate(int limbs) {
    Lanes<N> ring(limbs);
    const std::size_t width = ring.width();
    const std::size_t step_width = width * kLanes;
    // Behind the tables: the weights of a vertex, a product, and the sum of lanes.
    numbers_.resize((entries_ + 5) * step_width);
    Limb* const numbers = numbers_.data();
    Limb* const weights = numbers + entries_ * step_width;
    Limb* const product = weights + 3 * step_width;
    Limb* const total = product + step_width;
    const auto load = [&](Limb* to, Slot s) { std::copy_n(machine.value(s), width, to); };
    // In all lanes, weights[k] := what the k-th value of v weighs.
    const auto load_weights = [&](int v) {
        const std::uint32_t* own = own_ + 4 * v;
        for (std::uint32_t k = 0; k < domain_[as_size(v)]; ++k) {
            const int x = values_[as_size(v)][k];
            Limb* const at = weights + k * step_width;
            for (std::size_t l = 0; l < kLanes; ++l) load(at + l * width, own[1 + x]);
            if (x == 0) continue;
            for (std::size_t l = 0; l < kLanes; ++l) load(product + l * width, own[0]);
            ring.multiply(at, at, product);
            if (x == 2) continue;
            for (std::size_t l = 0; l < step_width; l += width) {
                Limb carry = 1;
                for (std::size_t i = 0; i < width; ++i) {
                    at[l + i] = ~at[l + i] + carry;
                    carry = carry != 0 && at[l + i] == 0 ? 1 : 0;
                }
            }
        }
    };
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const std::uint8_t* index = index_.data() + sources_[s].start;
        Limb* to = numbers + tables_[s].start * step_width;
        const std::uint32_t* const table = sources_[s].table;
        for (std::uint32_t i = 0; i < tables_[s].size * kLanes; ++i, to += width) {
            load(to, table[index[i]]);
        }
    }
    int v = 0;
    for (const Step& step : steps_) {
        const Table& to = tables_[step.result];
        const std::uint32_t domain = domain_[as_size(v)];
        load_weights(v);
        const Table& least = tables_[inputs_[step.first]];
        for (std::uint32_t e = 0; e < least.size; e += domain) {
            for (std::uint32_t k = 0; k < domain; ++k) {
                Limb* const at = numbers + (least.start + e + k) * step_width;
                ring.multiply(at, at, weights + k * step_width);
            }
        }
        for (std::uint32_t e = 0; e < to.size; ++e) {
            const std::uint32_t* offset = offsets_.data() + step.offsets + e;
            Limb* const sum = numbers + (to.start + e) * step_width;
            std::fill_n(sum, step_width, Limb{0});
            for (std::uint32_t k = 0; k < domain; ++k) {
                const auto entry = [&](std::uint32_t i) {
                    return numbers + (offset[as_size(i) * to.size] + k) * step_width;
                };
                if (step.tables == 1) {
                    ring.accumulate(sum, entry(0));
                    continue;
                }
                const Limb* so_far = entry(0);
                for (std::uint32_t i = 1; i + 1 < step.tables; ++i) {
                    ring.multiply(product, so_far, entry(i));
                    so_far = product;
                }
                ring.accumulate_product(sum, so_far, entry(step.tables - 1));
            }
        }
        ++v;
    }
    std::fill_n(total, step_width, Limb{0});
    for (std::size_t l = 0; l < lanes_; ++l) total[l * width] = 1;
    for (const Table& table : tables_) {
        if (table.scope == 0) ring.multiply(total, total, numbers + table.start * step_width);
    }
    for (; v < vertices_; ++v) {
        load_weights(v);
        for (std::size_t l = 0; l < kLanes; ++l) {
            std::copy_n(weights + lane_[as_size(v)][l] * step_width + l * width, width,
                        product + l * width);
        }
        ring.multiply(total, total, product);
    }
    std::fill_n(numbers, width, Limb{0});
    for (std::size_t l = 0; l < kLanes; ++l) {
        Ring<0>(limbs).accumulate(numbers, total + l * width);
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
