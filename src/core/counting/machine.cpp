#include "counting/machine.hpp"

namespace cattleya::counting {

struct Machine::Loops {
    using Code = const std::uint32_t*;

    Code (*run)(Machine& machine, Code code, Code stop);
    Code (*run_logged)(Machine& machine, Code base, Code code, Code stop);
    void (*run_back)(Machine& machine, Code base, std::size_t last);
};

template <int N>
struct Machine::LoopsOf {
    // Two numbers on the machine stack where their size is known, else on the heap.
    struct Scratch {
        explicit Scratch(const Ring<N>& ring) {
            if constexpr (N == 0) dynamic.resize(2 * static_cast<std::size_t>(ring.limbs()));
            first = N == 0 ? dynamic.data() : fixed;
            second = first + ring.limbs();
        }
        Limb fixed[N == 0 ? 1 : 2 * N];
        Vector<Limb> dynamic;
        Limb* first;
        Limb* second;
    };

    static void copy(const Ring<N>& ring, Limb* to, const Limb* from) {
        for (int i = 0; i < ring.limbs(); ++i) to[i] = from[i];
    }
    static void clear(const Ring<N>& ring, Limb* to) {
        for (int i = 0; i < ring.limbs(); ++i) to[i] = 0;
    }

    template <bool kLogged>
    static const std::uint32_t* execute(Machine& machine, const std::uint32_t* base,
                                        const std::uint32_t* code, const std::uint32_t* stop) {
        const Ring<N> ring(machine.limbs_);
        const auto width = static_cast<std::size_t>(ring.limbs());
        Limb* const values = machine.values_.data();
        const auto value = [=](Slot s) { return values + std::size_t{s} * width; };
        Scratch scratch(ring);
        Limb* const t = scratch.first;
        Limb* const u = scratch.second;
        std::uint32_t* start = machine.starts_.data() + machine.logged_;
        Limb* old = machine.log_.data() + machine.logged_ * width;
        while (code < stop && *code != 0) {
            const Slot target = *code & kTargetMask;
            if constexpr (kLogged) {
                *start++ = static_cast<std::uint32_t>(code - base);
                copy(ring, old, value(target));
                old += width;
            }
            switch (static_cast<Operation>(*code >> kTargetBits)) {
                case Operation::add:
                    copy(ring, t, value(code[1]));
                    ring.accumulate(t, value(code[2]));
                    code += 3;
                    break;
                case Operation::mul:
                    clear(ring, t);
                    ring.accumulate_product(t, value(code[1]), value(code[2]));
                    code += 3;
                    break;
                case Operation::fma:
                    copy(ring, t, value(code[1]));
                    ring.accumulate_product(t, value(code[2]), value(code[3]));
                    code += 4;
                    break;
                case Operation::affine:
                    copy(ring, u, value(code[3]));
                    ring.diminish(u, value(code[4]));
                    copy(ring, t, value(code[1]));
                    ring.accumulate_product(t, value(code[2]), u);
                    code += 5;
                    break;
            }
            copy(ring, value(target), t);
        }
        if constexpr (kLogged) {
            machine.logged_ = static_cast<std::size_t>(start - machine.starts_.data());
        }
        return code;
    }

    static const std::uint32_t* run(Machine& machine, const std::uint32_t* code,
                                    const std::uint32_t* stop) {
        return execute<false>(machine, code, code, stop);
    }

    static void run_back(Machine& machine, const std::uint32_t* base, std::size_t last) {
        const Ring<N> ring(machine.limbs_);
        const auto width = static_cast<std::size_t>(ring.limbs());
        Limb* const values = machine.values_.data();
        Limb* const adjoints = machine.adjoints_.data();
        const auto value = [=](Slot s) { return values + std::size_t{s} * width; };
        const auto adjoint = [=](Slot s) { return adjoints + std::size_t{s} * width; };
        Scratch scratch(ring);
        Limb* const g = scratch.first;
        Limb* const u = scratch.second;
        const std::uint32_t* const starts = machine.starts_.data();
        const Limb* old = machine.log_.data() + machine.logged_ * width;
        for (std::size_t i = machine.logged_; i-- > last;) {
            const std::uint32_t* const at = base + starts[i];
            if (*at == 0) {
                machine.logged_ = i + 1;
                return;
            }
            const Slot target = *at & kTargetMask;
            old -= width;
            copy(ring, value(target), old);
            copy(ring, g, adjoint(target));
            clear(ring, adjoint(target));
            switch (static_cast<Operation>(*at >> kTargetBits)) {
                case Operation::add:
                    ring.accumulate(adjoint(at[1]), g);
                    ring.accumulate(adjoint(at[2]), g);
                    break;
                case Operation::mul:
                    ring.accumulate_product(adjoint(at[1]), g, value(at[2]));
                    ring.accumulate_product(adjoint(at[2]), g, value(at[1]));
                    break;
                case Operation::fma:
                    ring.accumulate(adjoint(at[1]), g);
                    ring.accumulate_product(adjoint(at[2]), g, value(at[3]));
                    ring.accumulate_product(adjoint(at[3]), g, value(at[2]));
                    break;
                case Operation::affine:
                    ring.accumulate(adjoint(at[1]), g);
                    copy(ring, u, value(at[3]));
                    ring.diminish(u, value(at[4]));
                    ring.accumulate_product(adjoint(at[2]), g, u);
                    clear(ring, u);
                    ring.accumulate_product(u, g, value(at[2]));
                    ring.accumulate(adjoint(at[3]), u);
                    ring.diminish(adjoint(at[4]), u);
                    break;
            }
        }
        machine.logged_ = last;
    }

    static constexpr Loops all{run, execute<true>, run_back};
};

Machine::Machine(int limbs) : limbs_(limbs == 7 ? 8 : limbs) {
    const auto loops = [&]() -> const Loops& {
        switch (limbs_) {
            case 1:
                return LoopsOf<1>::all;
            case 2:
                return LoopsOf<2>::all;
            case 3:
                return LoopsOf<3>::all;
            case 4:
                return LoopsOf<4>::all;
            case 5:
                return LoopsOf<5>::all;
            case 6:
                return LoopsOf<6>::all;
            case 8:
                return LoopsOf<8>::all;
            default:
                return LoopsOf<0>::all;
        }
    };
    loops_ = &loops();
}

void Machine::reserve(Slot slots) {
    const std::size_t wanted = std::size_t{slots} * width();
    if (values_.size() < wanted) values_.resize(wanted + wanted / 2);
}

void Machine::set(Slot s, Limb small) {
    Limb* const at = value(s);
    std::fill_n(at, width(), Limb{0});
    at[0] = small;
}

Vector<Limb> Machine::save(Slot top) const {
    return {values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(top * width())};
}

void Machine::load(const Vector<Limb>& saved, int saved_limbs) {
    Limb* to = values_.data();
    const auto step = static_cast<std::size_t>(saved_limbs);
    for (std::size_t from = 0; from < saved.size(); from += step, to += width()) {
        std::copy_n(saved.data() + from, width(), to);
    }
}

const std::uint32_t* Machine::run(const std::uint32_t* code, const std::uint32_t* stop) {
    return loops_->run(*this, code, stop);
}

void Machine::start_log(std::size_t words) {
    logged_ = 0;
    const std::size_t most = words / kShortest + 1;
    if (starts_.size() >= most) return;
    starts_ = {};  // before there is more
    log_ = {};
    starts_.resize(most);
    log_.resize(most * width());
}

const std::uint32_t* Machine::run_logged(const std::uint32_t* base, const std::uint32_t* code,
                                         const std::uint32_t* stop) {
    return loops_->run_logged(*this, base, code, stop);
}

void Machine::start_back(Slot s) {
    adjoints_.assign(values_.size(), 0);
    adjoint(s)[0] = 1;
}

void Machine::start_back(const Vector<Limb>& derivatives) {
    adjoints_.assign(values_.size(), 0);
    std::copy(derivatives.begin(), derivatives.end(), adjoints_.begin());
}

void Machine::add_adjoints(Vector<Limb>& sums) const {
    const Ring<0> ring(limbs_);
    for (std::size_t i = 0; i < sums.size(); i += width()) {
        ring.accumulate(sums.data() + i, adjoints_.data() + i);
    }
}

bool Machine::run_back(const std::uint32_t* base, std::size_t count) {
    loops_->run_back(*this, base, logged_ - std::min(count, logged_));
    return logged_ != 0;
}

void Machine::log_block(const std::uint32_t* base, const std::uint32_t* block) {
    starts_[logged_] = static_cast<std::uint32_t>(block - base);
    std::copy_n(value(block[kBlockTarget]), width(), log_.data() + logged_ * width());
    ++logged_;
}

const std::uint32_t* Machine::unlog_block(const std::uint32_t* base) {
    if (logged_ == 0 || base[starts_[logged_ - 1]] != 0) return nullptr;
    --logged_;
    const std::uint32_t* const block = base + starts_[logged_];
    std::copy_n(log_.data() + logged_ * width(), width(), value(block[kBlockTarget]));
    return block;
}

}  // namespace cattleya::counting
