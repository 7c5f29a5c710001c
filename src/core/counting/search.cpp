// Every frame is a connected, simplified component with a chosen vertex v, its own table (a, b, c).
// Its value is
//     B(0) + k_v (B(2) - B(1)),   B(x) = own(x) * scalar * product of the values of the components
//                                                          left after x_v = x.
// Frames are plain bytes in one arena, so that the whole state of the search can be copied as a
// checkpoint (importance.cpp) and no depth of the problem becomes depth of the machine stack. A
// component is kept in the fewest machine words that hold it (W = 1, 2, 4, 8, 16), renumbered when
// it gets smaller; one that fits in none is sparse.
#include "counting/search.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "counting/dense.hpp"
#include "counting/simplify.hpp"
#include "counting/state.hpp"

namespace cattleya::counting {
namespace {

constexpr std::size_t kNoParent = ~std::size_t{0};

std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

struct List {
    Vector<std::int32_t> items;
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const std::int32_t i : items) visit(static_cast<int>(i));
    }
};

// Fills an empty state with a component as it is before anything is simplified: every clause is a
// factor over one group.
template <class AnyState>
void fill(AnyState& state, const Component& component, Budget& budget) {
    const ClauseSet& clauses = component.clauses;
    for (std::int32_t v = 0; v < clauses.n_atoms; ++v) {
        state.vertices.insert(v);
        state.weight[v] = kFirstInput + static_cast<Slot>(v);
        state.own[v][0] = component.included[as_size(v)] ? kZero : kOne;
        state.own[v][1] = kOne;
        state.own[v][2] = kOne;
    }
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(clauses.size()); ++c) {
        state.factors.insert(c);
        state.groups[c] = 1;
        for (std::int64_t i = clauses.start[as_size(c)]; i < clauses.start[as_size(c + 1)]; ++i) {
            const std::int32_t v = clauses.atom[as_size(i)];
            state.group[c][0].insert(v);
            state.factors_of[v].insert(c);
        }
        const bool own = component.kind.empty() || component.kind[as_size(c)] == ClauseKind::own;
        Slot* table = state.table[c];
        table[0] = kZero;
        table[1] = own ? kZero : kOne;
        table[2] = kOne;
        budget.tick(200);
    }
}

}  // namespace

struct alignas(8) Search::Block {
    std::byte bytes[64];
};
struct Search::Header {
    int width;  // W; 0: the last of sparse_
    int stage;  // the value of the vertex that comes next; 3: all are done
    int vertex;
    int depth;
    Slot weight;
    Slot mark;     // the first slot of this frame's own
    Slot product;  // of the current stage so far
    Slot branch[3];
    std::size_t parent;
};
template <int W>
struct Search::Frame : Header {
    State<W> state;
};

Search::Header& Search::header(std::size_t offset) {
    return *reinterpret_cast<Header*>(reinterpret_cast<std::byte*>(arena_.data()) + offset);
}
template <int W>
Search::Frame<W>& Search::frame(std::size_t offset) {
    return static_cast<Frame<W>&>(header(offset));
}

Search::Search(Emitter& emit, Budget& budget) : emit_(emit), budget_(budget) {}
Search::~Search() = default;

void Search::add(const Component& component) {
    constexpr int kWords = 8;
    const ClauseSet& clauses = component.clauses;
    if (std::max<std::int64_t>(clauses.n_atoms, clauses.size()) <= 64 * kWords) {
        make_scratch(kWords);
        auto& state = std::get<Vector<State<kWords>>>(scratch_).front();
        state.clear(clauses.n_atoms, static_cast<int>(clauses.size()));
        fill(state, component, budget_);
        if (simplify_all(state)) push_components(state, kNoParent);
    } else {
        SparseState state(clauses.n_atoms, static_cast<int>(clauses.size()));
        fill(state, component, budget_);
        if (simplify_all(state)) push_sparse_components(state, kNoParent);
    }
}

template <class AnyState>
bool Search::simplify_all(AnyState& state) {
    Simplifier<AnyState> simplifier(state, emit_, &budget_);
    simplifier.merge_twins();
    simplifier.mark_everything();
    const bool possible = simplifier.run();
    root_product_ = possible ? emit_.mul(root_product_, simplifier.scalar()) : kZero;
    return possible;
}

bool Search::advance(std::size_t words) {
    while (!offsets_.empty()) {
        if (emit_.words() >= words) return false;
        if (task_depth_ != 0 && make_task()) continue;
        switch (header(offsets_.back()).width) {
            case 0:
                step_sparse();
                break;
            case 1:
                step<1>();
                break;
            case 2:
                step<2>();
                break;
            case 4:
                step<4>();
                break;
            case 8:
                step<8>();
                break;
            default:
                step<16>();
                break;
        }
    }
    return true;
}

void Search::put_aside_from(int depth) {
    task_depth_ = depth;
    emit_.keep_everything();
}

void Search::fill_arena(const Vector<std::byte>& bytes) {
    used_ = bytes.size();
    if (used_ > arena_.size() * sizeof(Block)) arena_.resize(used_ / sizeof(Block));
    if (used_ != 0) std::memcpy(arena_.data(), bytes.data(), used_);
}

void Search::start_task(const Task& task) {
    fill_arena(task.frame);
    offsets_ = {0};
    root_product_ = kOne;
    Header& only = header(0);
    only.parent = kNoParent;
    only.depth = 0;
    make_scratch(only.width);
}

Search::Checkpoint Search::checkpoint() {
    emit_.release(emit_.top());
    const std::byte* data = reinterpret_cast<const std::byte*>(arena_.data());
    return {{data, data + used_}, offsets_, sparse_, root_product_, emit_.top()};
}

void Search::restore(const Checkpoint& saved) {
    fill_arena(saved.arena);
    offsets_ = saved.offsets;
    sparse_ = saved.sparse;
    root_product_ = saved.root_product;
    emit_.restore(saved.top);
}

// Takes the last frame off, and hands its value to its parent.
void Search::pop(Slot value) {
    const std::size_t parent = header(offsets_.back()).parent;
    used_ = offsets_.back();
    offsets_.pop_back();
    Slot& product = parent == kNoParent ? root_product_ : header(parent).product;
    product = emit_.mul(product, value);
}

// Notes the outcome of the last stage; when it was the last, hands the value to the parent and
// returns true.
bool Search::finish(Header& top) {
    if (top.stage == 0) {
        top.mark = emit_.top();
        ++nodes_;
        return false;
    }
    top.branch[top.stage - 1] = top.product;
    if (top.stage < 3) return false;
    const Slot value =
        emit_.keep_affine(top.branch[0], top.weight, top.branch[2], top.branch[1], top.mark);
    pop(value);
    return true;
}

bool Search::make_task() {
    const std::size_t offset = offsets_.back();
    const Header& top = header(offset);
    if (top.width == 0 || top.stage != 0 || top.depth < task_depth_) return false;
    const std::byte* data = reinterpret_cast<const std::byte*>(arena_.data());
    const Slot value = emit_.hole();
    tasks_.push_back({{data + offset, data + used_}, value});
    pop(value);
    return true;
}

void Search::make_scratch(int width) {
    const auto make = [](auto& scratch) {
        if (scratch.empty()) scratch.resize(1);
    };
    if (width == 1) make(std::get<0>(scratch_));
    if (width == 2) make(std::get<1>(scratch_));
    if (width == 4) make(std::get<2>(scratch_));
    if (width == 8) make(std::get<3>(scratch_));
    if (width == 16) make(std::get<4>(scratch_));
}

template <int W>
void Search::step() {
    const std::size_t offset = offsets_.back();
    Frame<W>& top = frame<W>(offset);
    if (finish(top)) return;
    const int v = top.vertex;
    const int x = top.stage++;
    const Slot own = top.state.own[v][x];
    top.product = kZero;
    if (own == kZero) return;
    budget_.tick(1000 * W * W);
    State<W>& scratch = std::get<Vector<State<W>>>(scratch_).front();
    scratch.copy_part(top.state, top.state.vertices, top.state.factors);
    Simplifier<State<W>> simplifier(scratch, emit_);
    simplifier.fix(v, x);
    if (!simplifier.run()) return;
    top.product = emit_.mul(own, simplifier.scalar());
    push_components(scratch, offset);
}

void Search::step_sparse() {
    const std::size_t offset = offsets_.back();
    Header& top = header(offset);
    if (finish(top)) {
        sparse_.pop_back();
        return;
    }
    const int v = top.vertex;
    const int x = top.stage++;
    const SparseState& state = *sparse_.back();
    const Slot own = state.own[v][x];
    top.product = kZero;
    if (own == kZero) return;
    budget_.look();
    Vector<std::int32_t> vertices, factors, number(as_size(state.vertex_capacity));
    state.vertices.for_each([&](int u) { vertices.push_back(u); });
    state.factors.for_each([&](int f) { factors.push_back(f); });
    const auto scratch = state.part(vertices, factors, number.data());
    Simplifier<SparseState> simplifier(*scratch, emit_, &budget_);
    simplifier.fix(number[as_size(v)], x);
    if (!simplifier.run()) return;
    top.product = emit_.mul(own, simplifier.scalar());
    push_sparse_components(*scratch, offset);
}

template <int W>
void Search::push_components(const State<W>& state, std::size_t parent) {
    Mask<W> left = state.vertices;
    while (left.any()) {
        Mask<W> vertices = Mask<W>::single(left.first());
        Mask<W> factors = Mask<W>::none();
        Mask<W> fresh = vertices;
        while (fresh.any()) {
            const int v = fresh.pop_first();
            Mask<W> more = state.factors_of[v] - factors;
            factors |= more;
            while (more.any()) {
                const Mask<W> found = scope_of(state, more.pop_first()) - vertices;
                vertices |= found;
                fresh |= found;
            }
        }
        left -= vertices;
        std::int32_t number[64 * W];
        if (make_block(state, vertices, factors, vertices.size(), number, parent)) continue;
        const int size = std::max(vertices.size(), factors.size());
        if (W == 1 || size > 32 * W) {
            Frame<W>& child = push<W>(parent);
            child.state.copy_part(state, vertices, factors);
            choose(child, child.state);
        } else {
            push_narrowest<W / 2>(state, vertices, factors, size, number, parent);
        }
    }
}

// Pushes a part that fits in W words into the fewest words that hold it.
template <int W, class Other, class Vertices, class Factors>
void Search::push_narrowest(const Other& state, const Vertices& vertices, const Factors& factors,
                            int size, std::int32_t* number, std::size_t parent) {
    if constexpr (W > 1) {
        if (size <= 32 * W) {
            push_narrowest<W / 2>(state, vertices, factors, size, number, parent);
            return;
        }
    }
    if constexpr (W >= 1) {
        Frame<W>& child = push<W>(parent);
        child.state.renumber_part(state, vertices, factors, number);
        choose(child, child.state);
    }
}

void Search::push_sparse_components(const SparseState& state, std::size_t parent) {
    Vector<std::int32_t> number(as_size(state.vertex_capacity));
    WorkSet left = state.vertices;
    WorkSet seen = state.no_factors();
    // A sparse child must be the last of sparse_ when it is on top, so components are pushed in
    // one go.
    while (left.any()) {
        List vertices, factors;
        vertices.items.push_back(left.pop_first());
        for (std::size_t next = 0; next < vertices.items.size(); ++next) {
            state.factors_of[as_size(vertices.items[next])].for_each([&](int f) {
                if (seen.contains(f)) return;
                seen.insert(f);
                factors.items.push_back(f);
                scope_of(state, f).for_each([&](int u) {
                    if (!left.contains(u)) return;
                    left.erase(u);
                    vertices.items.push_back(u);
                });
            });
        }
        const int size = static_cast<int>(std::max(vertices.items.size(), factors.items.size()));
        if (make_block(state, vertices, factors, static_cast<int>(vertices.items.size()),
                       number.data(), parent)) {
            continue;
        }
        if (size <= 64 * 16) {
            push_narrowest<16>(state, vertices, factors, size, number.data(), parent);
        } else {
            push_bytes(sizeof(Header), 0, parent);
            sparse_.push_back(state.part(vertices.items, factors.items, number.data()));
            choose(header(offsets_.back()), *sparse_.back());
        }
    }
}

// Writes a component as a block, if it is to be one.
template <class AnyState, class Vertices, class Factors>
bool Search::make_block(const AnyState& state, const Vertices& vertices, const Factors& factors,
                        int size, std::int32_t* number, std::size_t parent) {
    if (!write_blocks_ || size > kBlockVertices) return false;
    const Slot value = write_block(emit_, state, vertices, factors, number);
    if (value == kZero) return false;
    budget_.tick(20'000);
    ++nodes_;
    Slot& product = parent == kNoParent ? root_product_ : header(parent).product;
    product = emit_.mul(product, value);
    return true;
}

std::size_t Search::push_bytes(std::size_t bytes, int width, std::size_t parent) {
    const std::size_t offset = used_;
    used_ += (bytes + sizeof(Block) - 1) / sizeof(Block) * sizeof(Block);
    if (used_ > arena_.size() * sizeof(Block)) {
        const std::size_t wanted = std::max(used_ / sizeof(Block), 2 * arena_.size());
        arena_.resize(wanted);
    }
    offsets_.push_back(offset);
    Header& child = header(offset);
    child.width = width;
    child.stage = 0;
    child.parent = parent;
    child.depth = parent == kNoParent ? 0 : header(parent).depth + 1;
    return offset;
}
template <int W>
Search::Frame<W>& Search::push(std::size_t parent) {
    make_scratch(W);
    return frame<W>(push_bytes(sizeof(Frame<W>), W, parent));
}

// Chooses the vertex to fix: the product of its number of factors (a clause of two counts
// twice) and of the number of vertices it meets, a little more where it has only two ways. The
// number of factors alone takes a third more nodes; weights by clause size, by kind of table or
// by groups, and other powers, gain nothing on the whole. Nor does favouring what is near the
// centre of a tree decomposition: the score finds the separators by itself, and the stronger
// the favour the more nodes, up to twice as many.
//
// On hard rows nothing else than fixing vertices did better. Balanced separators are a quarter to a
// third of the vertices, and to fix theirs first changes the nodes by less than a tenth, mostly for
// the worse. Summing out a whole component in tables of any size pays where it is small
// (dense.hpp): from 15 groups on it was estimated to take some hundred times as many instructions.
// To split a clause's table into "two or more" and the rest gains nothing: groups are small. Of
// components of up to 12 vertices, 6 to 21 in a hundred have the structure of an earlier one; of
// larger ones, fewer.
template <class AnyState>
void Search::choose(Header& top, const AnyState& state) {
    int best = -1;
    std::int64_t best_score = -1;
    state.vertices.for_each([&](int v) {
        typename AnyState::Set met = AnyState::Set::none();
        std::int64_t score = 0;
        const auto& factors = state.factors_of[v];
        if (std::is_same_v<AnyState, SparseState>) {
            score = factors.size();
        } else {
            factors.for_each([&](int f) {
                met |= scope_of(state, f);
                score += state.groups[f] == 1 && state.group[f][0].size() == 2 ? 2 : 1;
            });
            score *= met.size() * (state.even.contains(v) ? 13 : 10);
        }
        if (score > best_score) {
            best_score = score;
            best = v;
        }
    });
    top.vertex = best;
    top.weight = state.weight[best];
}

ComponentSearch::ComponentSearch(const Component& component, Budget& budget, bool blocks)
    : emit(kFirstInput + static_cast<Slot>(component.clauses.n_atoms)),
      search(emit, budget),
      inputs(static_cast<Slot>(component.clauses.n_atoms)) {
    if (blocks) search.write_blocks();
    search.add(component);
}

}  // namespace cattleya::counting
