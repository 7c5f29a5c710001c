#include "minimum/reduction.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cattleya::minimum {

Reduction::Reduction(const Family& family, Fold fold, Budget& budget,
                     std::span<const Weight> weights)
    : family_(family),
      fold_(fold),
      budget_(budget),
      weights_(weights),
      on_start_(family.tag.size() + 1, 0),
      on_(family.atom.size()),
      size_(static_cast<std::size_t>(family.n_clauses())),
      degree_(degrees(family)),
      live_clause_(size_.size(), 1),
      live_atom_(family.tag.size(), 1),
      touched_clause_(size_.size(), 1),
      touched_atom_(family.tag.size(), 1),
      clauses_to_do_(size_.size()),
      atoms_to_do_(family.tag.size()),
      mark_(family.tag.size(), 0),
      live_clauses_(family.n_clauses()),
      tag_(family.tag) {
    const std::int32_t n = family.n_atoms();
    const std::int32_t m = family.n_clauses();
    for (std::int32_t a = 0; a < n; ++a) on_start_[a + 1] = on_start_[a] + degree_[a];
    Vector<std::int32_t> fill(on_start_.begin(), on_start_.end() - 1);
    for (std::int32_t c = 0; c < m; ++c) {
        for (auto i = family.start[c]; i < family.start[c + 1]; ++i)
            on_[fill[family.atom[i]]++] = c;
        size_[c] = family.size(c);
        budget_.tick(10 + 5 * size_[c]);
        if (size_[c] == 1) units_.push_back(c);
        if (size_[c] == 0) failed_ = true;
    }
    // Worked off from the back: the first come first.
    for (std::int32_t c = 0; c < m; ++c) clauses_to_do_[m - 1 - c] = c;
    for (std::int32_t a = 0; a < n; ++a) atoms_to_do_[n - 1 - a] = a;
    if (fold != Fold::dominated && !family.group.empty()) set_groups(family.group);
}

void Reduction::set_groups(Vector<std::int32_t> group) {
    group_ = std::move(group);
    const std::int32_t groups = 1 + *std::max_element(group_.begin(), group_.end());
    group_start_.assign(static_cast<std::size_t>(groups) + 1, 0);
    for (const std::int32_t g : group_) ++group_start_[g + 1];
    std::partial_sum(group_start_.begin(), group_start_.end(), group_start_.begin());
    group_members_.resize(group_.size());
    Vector<std::int32_t> fill(group_start_.begin(), group_start_.end() - 1);
    for (std::int32_t a = 0; a < family_.n_atoms(); ++a) group_members_[fill[group_[a]]++] = a;
}

void Reduction::touch_clause(std::int32_t clause) {
    if (touched_clause_[clause]) return;
    touched_clause_[clause] = 1;
    clauses_to_do_.push_back(clause);
}

void Reduction::touch_atom(std::int32_t atom) {
    if (touched_atom_[atom]) return;
    touched_atom_[atom] = 1;
    atoms_to_do_.push_back(atom);
}

void Reduction::remove_clause(std::int32_t clause) {
    live_clause_[clause] = 0;
    --live_clauses_;
    for (auto i = family_.start[clause]; i < family_.start[clause + 1]; ++i) {
        const std::int32_t a = family_.atom[i];
        --degree_[a];
        if (live_atom_[a]) touch_atom(a);
    }
}

void Reduction::take(std::int32_t atom) {
    taken_.push_back(atom);
    live_atom_[atom] = 0;
    for (auto k = on_start_[atom]; k < on_start_[atom + 1]; ++k) {
        if (live_clause_[on_[k]]) remove_clause(on_[k]);
    }
    if (group_.empty()) return;
    const std::int32_t g = group_[atom];
    for (auto k = group_start_[g]; k < group_start_[g + 1]; ++k) {
        if (live_atom_[group_members_[k]]) drop(group_members_[k]);
    }
}

void Reduction::drop(std::int32_t atom) {
    live_atom_[atom] = 0;
    for (auto k = on_start_[atom]; k < on_start_[atom + 1]; ++k) {
        const std::int32_t c = on_[k];
        if (!live_clause_[c]) continue;
        --size_[c];
        if (size_[c] == 0) failed_ = true;
        if (size_[c] == 1) units_.push_back(c);
        touch_clause(c);
    }
}

bool Reduction::contains(std::int32_t clause, std::int32_t atom) const {
    const auto first = family_.atom.begin() + family_.start[clause];
    const auto last = family_.atom.begin() + family_.start[clause + 1];
    return std::find(first, last, atom) != last;
}

// The clauses that contain this one are among those of its rarest atom.
void Reduction::remove_supersets(std::int32_t clause) {
    const auto first = family_.atom.begin() + family_.start[clause];
    const auto last = family_.atom.begin() + family_.start[clause + 1];
    std::int32_t rarest = -1;
    for (auto it = first; it != last; ++it) {
        if (live_atom_[*it] && (rarest < 0 || degree_[*it] < degree_[rarest])) rarest = *it;
    }
    budget_.tick(10 + 10 * (last - first));
    if (degree_[rarest] == 1) return;
    for (auto k = on_start_[rarest]; k < on_start_[rarest + 1]; ++k) {
        const std::int32_t other = on_[k];
        if (!live_clause_[other] || other == clause || size_[other] < size_[clause]) continue;
        budget_.tick(10 + family_.size(other));
        if (std::all_of(first, last,
                        [&](std::int32_t a) { return !live_atom_[a] || contains(other, a); })) {
            remove_clause(other);
        }
    }
}

// The atoms that are in all clauses of this one are found by going through these clauses: an atom
// whose mark has come as far as the clauses have is in all of them so far.
void Reduction::fold(std::int32_t atom) {
    const std::int64_t before = last_mark_;
    std::int64_t mark = before;
    std::int32_t some_clause = -1;
    for (auto k = on_start_[atom]; k < on_start_[atom + 1]; ++k) {
        const std::int32_t c = on_[k];
        if (!live_clause_[c]) continue;
        some_clause = c;
        bool any = false;
        for (auto i = family_.start[c]; i < family_.start[c + 1]; ++i) {
            const std::int32_t a = family_.atom[i];
            if (!live_atom_[a] || a == atom || (mark != before && mark_[a] != mark)) continue;
            mark_[a] = mark + 1;
            any = true;
        }
        last_mark_ = ++mark;
        budget_.tick(10 + family_.size(c));
        if (!any) return;
    }
    for (auto i = family_.start[some_clause]; i < family_.start[some_clause + 1]; ++i) {
        const std::int32_t a = family_.atom[i];
        if (!live_atom_[a] || mark_[a] != mark) continue;
        if (fold_ == Fold::twins) {
            if (degree_[a] != degree_[atom]) continue;
            tag_[a] += tag_[atom];
        } else if (!weights_.empty() && weights_[tag_[a]] > weights_[tag_[atom]]) {
            continue;
        }
        drop(atom);
        return;
    }
}

bool Reduction::run() {
    while (!failed_) {
        if (!units_.empty()) {
            const std::int32_t c = units_.back();
            units_.pop_back();
            if (!live_clause_[c]) continue;
            const auto first = family_.atom.begin() + family_.start[c];
            became_single_.push_back(c);
            take(*std::find_if(first, first + family_.size(c),
                               [&](std::int32_t a) { return live_atom_[a] != 0; }));
        } else if (!clauses_to_do_.empty()) {
            const std::int32_t c = clauses_to_do_.back();
            clauses_to_do_.pop_back();
            touched_clause_[c] = 0;
            if (live_clause_[c]) remove_supersets(c);
        } else if (!atoms_to_do_.empty()) {
            const std::int32_t a = atoms_to_do_.back();
            atoms_to_do_.pop_back();
            touched_atom_[a] = 0;
            if (fold_ != Fold::nothing && live_atom_[a] && degree_[a] > 0) fold(a);
        } else {
            return true;
        }
    }
    return false;
}

Family Reduction::rest(Vector<std::int32_t>& origin) const {
    Family rest;
    origin.clear();
    if (is_solved()) return rest;
    Vector<std::int32_t> number(tag_.size(), -1);
    for (std::int32_t a = 0; a < family_.n_atoms(); ++a) {
        if (!live_atom_[a] || degree_[a] == 0) continue;
        number[a] = rest.n_atoms();
        rest.tag.push_back(tag_[a]);
        if (!group_.empty()) rest.group.push_back(group_[a]);
        origin.push_back(a);
    }
    for (std::int32_t c = 0; c < family_.n_clauses(); ++c) {
        if (!live_clause_[c]) continue;
        for (auto i = family_.start[c]; i < family_.start[c + 1]; ++i) {
            if (live_atom_[family_.atom[i]]) rest.atom.push_back(number[family_.atom[i]]);
        }
        rest.start.push_back(static_cast<std::int32_t>(rest.atom.size()));
    }
    return rest;
}

Vector<std::int32_t> Reduction::packing() const {
    Vector<std::int32_t> packing = became_single_;
    if (is_solved()) return packing;
    Vector<std::int32_t> order;
    for (std::int32_t c = 0; c < family_.n_clauses(); ++c) {
        if (live_clause_[c]) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return size_[a] < size_[b]; });
    Vector<std::uint8_t> used(tag_.size(), 0);
    for (const std::int32_t c : order) {
        const auto first = family_.atom.begin() + family_.start[c];
        const auto last = family_.atom.begin() + family_.start[c + 1];
        if (std::any_of(first, last, [&](std::int32_t a) { return live_atom_[a] && used[a]; })) {
            continue;
        }
        std::for_each(first, last, [&](std::int32_t a) { used[a] = 1; });
        packing.push_back(c);
    }
    return packing;
}

}  // namespace cattleya::minimum
