// The search for the number of minimal hitting sets: fix a vertex in its three ways, simplify,
// split into components, and so on.
//
// It sees no numbers, but writes a program (program.hpp) that computes the sum of counting.hpp from
// the weights of the atoms. Its whole state can be kept as a checkpoint, to write the same again
// from there (importance.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include "counting/component.hpp"
#include "counting/program.hpp"
#include "support/budget.hpp"
#include "support/vector.hpp"

namespace cattleya::counting {

template <int W>
struct State;
struct SparseState;

class Search {
   public:
    Search(Emitter& emit, Budget& budget);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // Multiplies the result by the value of a component, whose atoms have their weights in the
    // slots from kFirstInput on.
    void add(const Component& component);

    // From now on small components are written as blocks (dense.hpp).
    void write_blocks() { write_blocks_ = true; }

    // Works until the instructions written fill `words` or all is done; true when done.
    bool advance(std::size_t words);

    // A component put aside to be searched by itself, and the slot where its value is wanted.
    struct Task {
        Vector<std::byte> frame;
        Slot value;
    };
    // From now on components at this depth are put aside (parallel.cpp), and the emitter keeps
    // every value, for tasks refer to them.
    void put_aside_from(int depth);
    const Vector<Task>& tasks() const { return tasks_; }
    // Makes this search one for a task of another, whose slots are all below those of this one's
    // emitter.
    void start_task(const Task& task);

    // The slot with the result, once done.
    Slot result() const { return root_product_; }
    std::uint64_t nodes() const { return nodes_; }

    struct Checkpoint {
        Vector<std::byte> arena;
        Vector<std::size_t> offsets;
        Vector<std::shared_ptr<const SparseState>> sparse;
        Slot root_product;
        Slot top;

        std::int64_t bytes() const { return static_cast<std::int64_t>(arena.size()) + 256; }
    };
    // The emitter forgets what it remembers, here and on return: so the search writes the same both
    // times.
    Checkpoint checkpoint();
    void restore(const Checkpoint& saved);

   private:
    struct Block;
    struct Header;
    template <int W>
    struct Frame;

    Header& header(std::size_t offset);
    template <int W>
    Frame<W>& frame(std::size_t offset);

    template <class AnyState>
    bool simplify_all(AnyState& state);
    bool finish(Header& top);
    bool make_task();
    void pop(Slot value);
    template <int W>
    void step();
    void step_sparse();
    template <int W>
    void push_components(const State<W>& state, std::size_t parent);
    template <int W, class Other, class Vertices, class Factors>
    void push_narrowest(const Other& state, const Vertices& vertices, const Factors& factors,
                        int size, std::int32_t* number, std::size_t parent);
    void push_sparse_components(const SparseState& state, std::size_t parent);
    template <class AnyState, class Vertices, class Factors>
    bool make_block(const AnyState& state, const Vertices& vertices, const Factors& factors,
                    int size, std::int32_t* number, std::size_t parent);
    std::size_t push_bytes(std::size_t bytes, int width, std::size_t parent);
    template <int W>
    Frame<W>& push(std::size_t parent);
    void fill_arena(const Vector<std::byte>& bytes);
    void make_scratch(int width);
    template <class AnyState>
    static void choose(Header& top, const AnyState& state);

    Emitter& emit_;
    Budget& budget_;
    Slot root_product_ = kOne;
    Vector<Block> arena_;
    std::size_t used_ = 0;
    Vector<std::size_t> offsets_;
    Vector<std::shared_ptr<const SparseState>> sparse_;  // those of the frames of width 0
    std::uint64_t nodes_ = 0;
    bool write_blocks_ = false;
    int task_depth_ = 0;  // 0: none are put aside
    Vector<Task> tasks_;
    std::tuple<Vector<State<1>>, Vector<State<2>>, Vector<State<4>>, Vector<State<8>>,
               Vector<State<16>>>
        scratch_;
};

// The search on one component, with the emitter it writes to.
class ComponentSearch {
   public:
    ComponentSearch(const Component& component, Budget& budget, bool blocks = false);

    Emitter emit;
    Search search;
    Slot inputs;  // slots kFirstInput, ..., kFirstInput + inputs - 1 hold the weights
};

}  // namespace cattleya::counting
