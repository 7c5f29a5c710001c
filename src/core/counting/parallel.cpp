// One hard component by several threads.
//
// The upper levels of the search are walked once, and the components found at a certain depth are
// put aside as tasks. What the upper levels write is a program P whose slots are each written once,
// with a hole for the value of every task. The instructions that make tables never read a hole (the
// search does not see values), so P can be run first with zeros in its holes: then all tables are
// right. The tasks, which read only tables of P, are worked off by the threads in any order; then
// the holes are filled and P is run again.
//
// The derivatives: a backward pass through P gives those by the holes, and those by the inputs
// along paths that avoid the tasks. Every task then goes backward from the derivative by its hole
// to the tables of P. As derivatives are linear, a second backward pass through P, started with the
// sum of what the tasks gave, yields the rest.
//
// The result and the numbers of nodes and instructions do not depend on the number of threads or on
// their timing.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "counting/bound.hpp"
#include "counting/dense.hpp"
#include "counting/enclosure.hpp"
#include "counting/evaluate.hpp"
#include "counting/importance_run.hpp"
#include "counting/kept_code.hpp"
#include "counting/machine.hpp"
#include "counting/search.hpp"
#include "support/natural.hpp"

namespace cattleya::counting {
namespace {

constexpr int kTaskDepth = 6;
constexpr std::size_t kPiece = std::size_t{1} << 14;
constexpr std::size_t kLongestKept = std::size_t{1} << 21;  // words of one task

struct Stopped : std::exception {};

struct Outcome {
    ComponentImportance importance;
    double bits;
};

class ParallelRun {
   public:
    ParallelRun(const Component& component, bool want_atoms, int limbs, double bound, int threads,
                Budget& budget)
        : budget_(budget),
          want_atoms_(want_atoms),
          bound_(bound),
          top_(component, budget, true),
          machine_(limbs),
          threads_(threads) {
        top_.search.put_aside_from(kTaskDepth);
        while (!top_.search.advance(top_.emit.words() + kPiece)) {
        }
        base_ = top_.emit.high_water();
        load_units(machine_.ring, top_.inputs);
        load_units(machine_.enclosure, top_.inputs);
        machine_.reserve(base_);
        run_top();
        task_values_.resize(top_.search.tasks().size() * width());
        task_cells_.resize(top_.search.tasks().size());
        task_code_.resize(top_.search.tasks().size());
    }

    Outcome operator()(Effort& effort) {
        bytes_to_keep_ = want_atoms_ ? budget_.memory_limit / 4 : 0;
        run_tasks([&](Worker& worker, std::size_t t) { evaluate(worker, t); }, effort);
        for (std::size_t t = 0; t < top_.search.tasks().size(); ++t) {
            const Slot hole = top_.search.tasks()[t].value;
            std::copy_n(task_values_.data() + t * width(), width(), machine_.ring.value(hole));
            machine_.enclosure.set(hole, task_cells_[t]);
        }
        run_top();
        const Slot result = top_.search.result();
        Outcome outcome;
        outcome.importance.count = natural_from(machine_.ring.value(result), limbs());
        outcome.bits = std::min(bound_, machine_.enclosure.bits(result));
        effort.nodes += top_.search.nodes();
        effort.instructions += top_.emit.instructions();
        if (!want_atoms_ || limbs_for(outcome.bits) > limbs()) return outcome;
        machine_.ring.start_back(result);
        back_through_top();
        Vector<Limb> sums(std::size_t{base_} * width());
        Vector<Limb> of_inputs(std::size_t{kFirstInput + top_.inputs} * width());
        machine_.ring.add_adjoints(of_inputs);
        Effort again;
        run_tasks([&](Worker& worker, std::size_t t) { differentiate(worker, t); }, again, &sums);
        machine_.ring.start_back(sums);
        back_through_top();
        machine_.ring.add_adjoints(of_inputs);
        for (Slot v = 0; v < top_.inputs; ++v) {
            const Limb* at = of_inputs.data() + (kFirstInput + v) * width();
            outcome.importance.atom_count.push_back(natural_from(at, limbs()));
        }
        return outcome;
    }

   private:
    struct Worker {
        Worker(const BlockMachine& with, Slot base, const Budget& limits)
            : budget(limits), emit(base), search(emit, budget), machine(with) {
            search.write_blocks();
        }
        Budget budget;
        Emitter emit;
        Search search;
        BlockMachine machine;
        Vector<Limb> sums;  // of the derivatives by the slots of P
        Vector<std::uint32_t> unpacked;
        std::exception_ptr failure;
    };

    int limbs() const { return machine_.ring.limbs(); }
    std::size_t width() const { return static_cast<std::size_t>(limbs()); }

    void run_top() {
        machine_.run(top_.emit.code(), top_.emit.end(), budget_);
        budget_.look();
    }
    void back_through_top() {
        const std::uint32_t* const code = top_.emit.code();
        machine_.start_log(top_.emit.words());
        machine_.run_logged(code, code, top_.emit.end(), budget_);
        while (machine_.run_back(code, std::size_t{1} << 14, budget_)) budget_.look();
    }

    // Has the tasks done by the threads, this one among them; adds up their derivatives where
    // `sums` is given.
    template <class Work>
    void run_tasks(Work&& work, Effort& effort, Vector<Limb>* sums = nullptr) {
        const std::size_t tasks = top_.search.tasks().size();
        std::atomic<std::size_t> next = 0;
        std::atomic<bool> stop = false;
        Vector<std::unique_ptr<Worker>> workers;
        for (int i = 0; i < threads_; ++i) {
            workers.push_back(std::make_unique<Worker>(machine_, base_, budget_));
            workers.back()->budget.memory_limit = budget_.memory_limit / threads_;
            if (want_atoms_) {
                workers.back()->machine.keep_outcomes(budget_.memory_limit / threads_ / 16);
            }
            if (i != 0)
                workers.back()->budget.poll = [&stop] {
                    if (stop) throw Stopped();
                };
            if (sums != nullptr) workers.back()->sums.resize(sums->size());
        }
        const auto loop = [&, account = Account::current()](Worker& worker) {
            const Accounting accounting(account);
            try {
                for (std::size_t t = next++; t < tasks && !stop; t = next++) {
                    worker.emit.restore(base_);
                    worker.search.start_task(top_.search.tasks()[t]);
                    work(worker, t);
                }
            } catch (...) {
                worker.failure = std::current_exception();
                stop = true;
            }
        };
        Vector<std::thread> others;
        others.reserve(workers.size());  // to fail while threads run would end the program
        for (std::size_t i = 1; i < workers.size(); ++i) {
            try {
                others.emplace_back(loop, std::ref(*workers[i]));
            } catch (const std::exception&) {
                break;  // no more threads, or no memory for one: fewer will do
            }
        }
        loop(*workers[0]);
        for (std::thread& other : others) other.join();
        for (const auto& worker : workers) rethrow(worker->failure);
        for (const auto& worker : workers) {
            effort.nodes += worker->search.nodes();
            effort.instructions += worker->emit.instructions();
            if (sums == nullptr) continue;
            for (std::size_t i = 0; i < sums->size(); i += width()) {
                Ring<0>(limbs()).accumulate(sums->data() + i, worker->sums.data() + i);
            }
        }
    }

    // The cause of a failure, not the cancellations that follow from it.
    static void rethrow(const std::exception_ptr& failure) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const Stopped&) {
        }
    }

    // A task's program where it is kept for the backward pass: if it is not long, and there is
    // room.
    struct Code {
        KeptCode words;
        Vector<Limb> outcomes;  // of its first blocks
        Slot result = kZero;
        Slot slots = 0;
        bool kept = false;
    };

    void evaluate(Worker& worker, std::size_t t) {
        Code code;
        code.kept = true;
        bool done = false;
        while (!done) {
            done = worker.search.advance(kPiece);
            if (code.kept && code.words.words() < kLongestKept && bytes_to_keep_ > 0) {
                const std::int64_t before = code.words.bytes();
                code.words.append(worker.emit.code(), worker.emit.words(),
                                  worker.emit.high_water());
                bytes_to_keep_ -= code.words.bytes() - before;
            } else {
                code = {};
            }
            worker.machine.reserve(worker.emit.high_water());
            worker.machine.run(worker.emit.code(), worker.emit.end(), worker.budget);
            worker.emit.clear_code();
        }
        const Slot result = worker.search.result();
        std::copy_n(worker.machine.ring.value(result), width(), task_values_.data() + t * width());
        task_cells_[t] = worker.machine.enclosure.cell(result);
        code.result = result;
        code.slots = worker.emit.high_water();
        Vector<Limb> outcomes = worker.machine.take_outcomes();
        if (code.kept) code.outcomes = std::move(outcomes);
        task_code_[t] = std::move(code);
    }

    void differentiate(Worker& worker, std::size_t t) {
        const Limb* const derivative = machine_.ring.adjoint(top_.search.tasks()[t].value);
        BlockMachine& machine = worker.machine;
        Code& code = task_code_[t];
        if (code.kept) {
            machine.reserve(code.slots);
            machine.give_outcomes(std::move(code.outcomes), limbs());
            run_kept(worker, code.words, [&] {
                machine.ring.start_back(code.result);
                std::copy_n(derivative, width(), machine.ring.adjoint(code.result));
            });
            code = {};
        } else {
            PiecewiseRun pieces(worker.emit, worker.search, base_, worker.budget);
            pieces.forward(machine);
            const Slot result = worker.search.result();
            machine.ring.start_back(result);
            std::copy_n(derivative, width(), machine.ring.adjoint(result));
            pieces.backward(machine);
        }
        machine.ring.add_adjoints(worker.sums);
    }

    // Forward and backward through a program that was kept.
    template <class Turn>
    void run_kept(Worker& worker, const KeptCode& kept, Turn&& turn) {
        const std::uint32_t* const code = kept.unpack(worker.unpacked);
        const std::size_t words = kept.words();
        worker.machine.start_log(words);
        in_stretches(code, words, kPiece, [&](const std::uint32_t* at, const std::uint32_t* stop) {
            worker.budget.look();
            return worker.machine.run_logged(code, at, stop, worker.budget);
        });
        turn();
        while (worker.machine.run_back(code, kPiece, worker.budget)) worker.budget.look();
    }

    Budget& budget_;
    bool want_atoms_;
    double bound_;  // of the bits of the count
    ComponentSearch top_;
    BlockMachine machine_;
    int threads_;
    Slot base_;  // the slots below belong to P
    Vector<Limb> task_values_;
    Vector<EnclosureMachine::Cell> task_cells_;
    Vector<Code> task_code_;
    std::atomic<std::int64_t> bytes_to_keep_ = 0;
};

}  // namespace

ComponentImportance count_in_parallel(const Component& component, bool want_atoms, int threads,
                                      Budget& budget, Effort& effort) {
    const double bound = count_bits_bound(component.clauses, budget);
    const int limbs = guess_limbs(bound);
    Outcome outcome = ParallelRun(component, want_atoms, limbs, bound, threads, budget)(effort);
    const int enough = limbs_for(outcome.bits);
    if (enough > limbs) {
        Effort again;
        outcome = ParallelRun(component, want_atoms, enough, bound, threads, budget)(again);
    }
    return std::move(outcome.importance);
}

}  // namespace cattleya::counting
