// Random small trees through the whole native core, every answer against brute force.
//
//   small_trees [trees [first seed [threads]]]
//
// Built with the sanitizers by `make sanitize`, and plainly by `make fuzz`. A failure names the
// seed; `small_trees 1 SEED` has it again. Now and then memory runs out in the middle of a
// question: that must be told as std::bad_alloc, with nothing leaked.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "domain/domain_tree.hpp"
#include "drawn_tree.hpp"
#include "proof/refute.hpp"
#include "proof/refute_domain.hpp"
#include "questions.hpp"
#include "reasons/complete_reason.hpp"
#include "starve.hpp"
#include "tree/engine.hpp"

namespace fuzz {
namespace {

using namespace cattleya;
using namespace cattleya::domain;
using namespace cattleya::proof;
using cattleya::reasons::complete_reason;
using cattleya::tree::Engine;
using cattleya::tree::Path;

constexpr int kMostTests = 7;
constexpr int kMostRows = 300;
constexpr int kStarvedOneIn = 50;
constexpr int kStarvedTimes = 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The paper's conditions: each test a Boolean variable, all assignments of them.
void check_conditions(const DrawnTree& tree, Random& random) {
    Budget budget;
    const int n = tree.n_tests();
    std::vector<std::int32_t> feature;
    std::vector<double> threshold, row;
    std::vector<std::uint8_t> missing_left;
    for (const Test& test : tree.tests) {
        feature.push_back(test.attribute);
        threshold.push_back(test.level + 0.5);
        missing_left.push_back(test.missing_left);
    }
    for (const std::int32_t cell : tree.row) row.push_back(DrawnTree::value(cell));
    const auto n_features = static_cast<std::int32_t>(row.size());
    const Engine engine({tree.left, tree.right, tree.test, tree.leaf_class},
                        {feature, threshold, missing_left}, n_features, tree.n_classes);
    std::vector<std::uint8_t> truth(n);
    engine.evaluate(row, truth);
    Set own = 0;
    for (int i = 0; i < n; ++i) {
        const Test& test = tree.tests[i];
        expect(truth[i] == tree.goes_left(test, tree.row[test.attribute]), "another truth");
        own |= static_cast<Set>(truth[i]) << i;
    }
    const Path path = engine.path(truth);
    const std::int32_t row_class = tree.class_of(tree.row);
    expect(path.leaf_class == row_class, "another class");

    const Set all = (1u << n) - 1;
    const auto truth_about = [&](auto&& is_other) {
        Sets others;
        for (Set assignment = 0; assignment <= all; ++assignment) {
            if (is_other(tree.class_of_assignment(assignment))) {
                others.push_back(all & ~(assignment ^ own));
            }
        }
        return Truth(n, others);
    };
    const Truth known = truth_about([&](std::int32_t c) { return c != row_class; });
    const Clauses clauses = complete_reason(engine, truth, row_class, tree::kAnyOther, budget);
    check_contrasts(clauses, known.contrasts);
    const auto toward = static_cast<std::int32_t>(random.below(tree.n_classes));
    if (toward != row_class) {
        const Truth one = truth_about([&](std::int32_t c) { return c == toward; });
        check_contrasts(complete_reason(engine, truth, row_class, toward, budget), one.contrasts);
    }
    check_hitting_sets(clauses, known, random);

    GivenTree given{
        tree.left,         tree.right, tree.test,    tree.leaf_class,
        feature,           threshold,  missing_left, std::vector<std::uint8_t>(row.size(), 0),
        tree.takes_missing};
    given.check();
    for (int i = 0; i < 3; ++i) {
        const Set kept =
            static_cast<Set>(random.below(1 << n)) | (i == 0 ? set_of(path.conditions) : 0);
        std::vector<std::int8_t> fixed(n, -1);
        for (const std::int32_t atom : atoms_of(kept))
            fixed[atom] = static_cast<std::int8_t>(truth[atom]);
        const bool sufficient = known.sufficient[kept] != 0;
        const std::int32_t leaf = refuting_leaf(given, fixed, row_class, false, budget);
        expect((leaf == kNoLeaf) == sufficient, "another verdict");
        if (sufficient) {
            const Set gone = set_of(removable(given, fixed, atoms_of(kept), row_class, budget));
            expect(std::ranges::binary_search(known.reasons, kept & ~gone), "not what can go");
        } else {
            expect(tree.leaf_class[leaf] != row_class, "a refuting leaf of the row's class");
        }
    }
}

// Features and intervals, under the logic of the domain.
void check_domain(const DrawnTree& tree, Random& random) {
    Budget budget;
    const std::size_t n = tree.attributes.size();
    std::vector<std::int32_t> attribute, level, n_levels, n_cells;
    std::vector<std::uint8_t> missing_left;
    std::vector<double> level_value;
    std::vector<std::uint64_t> words;
    for (const Test& test : tree.tests) {
        attribute.push_back(test.attribute);
        missing_left.push_back(test.missing_left);
        level.push_back(test.level);
        if (!tree.attributes[test.attribute].category) continue;
        level.back() = static_cast<std::int32_t>(words.size());
        words.push_back((1ull << (test.level + 1)) - 1);
    }
    for (const Attribute& a : tree.attributes) {
        n_levels.push_back(a.category ? DomainAttributes::kCategory : a.cells - 1);
        n_cells.push_back(a.category ? a.cells : 0);
        for (int l = 0; !a.category && l + 1 < a.cells; ++l) level_value.push_back(l);
    }
    const DomainTree domain(
        {tree.left, tree.right, tree.test, tree.leaf_class}, {attribute, level, missing_left},
        {n_levels, n_cells, level_value, words, tree.takes_missing}, tree.n_classes, budget);
    std::vector<double> row;
    for (const std::int32_t cell : tree.row) row.push_back(DrawnTree::value(cell));
    std::vector<std::int32_t> cells = domain.cells(row);
    for (std::size_t a = 0; a < n; ++a) {
        if (tree.attributes[a].category) cells[a] = tree.row[a];
    }
    expect(cells == tree.row, "other cells");
    const std::int32_t row_class = tree.class_of(tree.row);
    expect(domain.path(cells).leaf_class == row_class, "another class");

    // An atom is an attribute and the cells it leaves; the missing cell comes last.
    struct Atom {
        std::size_t attribute;
        std::int32_t low, high;
        bool missing;
        [[nodiscard]] bool holds(std::int32_t cell) const {
            return cell < 0 ? missing : low <= cell && cell <= high;
        }
    };
    std::vector<Atom> features, intervals;
    std::vector<std::int32_t> first_atom;
    for (std::size_t a = 0; a < n; ++a) {
        const std::int32_t cell = tree.row[a];
        const std::int32_t last = tree.attributes[a].cells - 1;
        const Atom as_it_is{a, cell, cell, cell < 0};
        features.push_back(as_it_is);
        first_atom.push_back(static_cast<std::int32_t>(intervals.size()));
        if (tree.attributes[a].category || cell < 0) {
            intervals.push_back(as_it_is);
            continue;
        }
        if (tree.takes_missing) intervals.push_back({a, 0, last, false});
        for (std::int32_t l = 0; l < last; ++l) {
            intervals.push_back({a, cell <= l ? 0 : l + 1, cell <= l ? l : last, false});
        }
    }
    const auto rows = tree.all_rows();
    const auto truth_about = [&](const std::vector<Atom>& atoms, auto&& is_other) {
        Sets others;
        for (const auto& other : rows) {
            if (!is_other(tree.class_of(other))) continue;
            Set held = 0;
            for (std::size_t i = 0; i < atoms.size(); ++i) {
                if (atoms[i].holds(other[atoms[i].attribute])) held |= 1u << i;
            }
            others.push_back(held);
        }
        return Truth(static_cast<int>(atoms.size()), others);
    };
    const auto search = [&](bool levels, std::int32_t toward) {
        return levels ? domain.interval_reason(cells, first_atom, row_class, toward, budget)
                      : domain.feature_reason(cells, row_class, toward, budget);
    };
    for (const bool levels : {false, true}) {
        const auto& atoms = levels ? intervals : features;
        const Truth known = truth_about(atoms, [&](std::int32_t c) { return c != row_class; });
        const Clauses clauses = search(levels, tree::kAnyOther);
        check_contrasts(clauses, known.contrasts);
        const auto toward = static_cast<std::int32_t>(random.below(tree.n_classes));
        if (toward != row_class) {
            const Truth one = truth_about(atoms, [&](std::int32_t c) { return c == toward; });
            check_contrasts(search(levels, toward), one.contrasts);
        }
        check_hitting_sets(clauses, known, random);
    }

    // The prover, over values.
    ValueTree values{tree.left, tree.right, {}, tree.leaf_class, {}, {}, {}, {}, {}, {},
                     {},        {0},        {}};
    values.takes_missing = tree.takes_missing;
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        const bool inner = tree.left[node] >= 0;
        const Test test = inner ? tree.tests[tree.test[node]] : Test{0, 0, false};
        const bool last = test.level == tree.attributes[test.attribute].cells - 1;
        values.column.push_back(inner ? test.attribute : -1);
        values.threshold.push_back(test.level + 0.5);
        values.missing_left.push_back(test.missing_left);
        values.below.push_back(test.level < 0 ? -kInfinity : test.level);
        values.above.push_back(last ? kInfinity : test.level + 1);
    }
    for (std::size_t a = 0; a < n; ++a) {
        values.attribute.push_back(static_cast<std::int32_t>(a));
        values.place.push_back(0);
        values.width.push_back(tree.attributes[a].category ? 1 : 0);
        for (int c = 0; tree.attributes[a].category && c < tree.attributes[a].cells; ++c) {
            values.points.push_back(c);
        }
        values.first_point.push_back(static_cast<std::int64_t>(values.points.size()));
    }
    values.check();
    std::vector<std::int32_t> own_point;
    for (std::size_t a = 0; a < n; ++a) {
        own_point.push_back(tree.attributes[a].category ? tree.row[a] : kAnyPoint);
    }
    std::vector<Left> fixed;
    std::vector<std::uint8_t> is_fixed;
    for (std::size_t a = 0; a < n; ++a) {
        const bool category = tree.attributes[a].category;
        const bool kept = random.chance(60);
        is_fixed.push_back(kept);
        if (!kept) {
            fixed.push_back({-kInfinity, kInfinity, tree.may_be_missing(a), kAnyPoint});
        } else if (category) {
            fixed.push_back({-kInfinity, kInfinity, 0, tree.row[a]});
        } else if (tree.row[a] < 0) {
            fixed.push_back({kInfinity, -kInfinity, 1, kAnyPoint});
        } else {
            fixed.push_back({row[a], row[a], 0, kAnyPoint});
        }
    }
    const auto reaches = [&](std::size_t freed) {
        return std::ranges::any_of(rows, [&](const std::vector<std::int32_t>& other) {
            for (std::size_t a = 0; a < n; ++a) {
                if (is_fixed[a] && a != freed && other[a] != tree.row[a]) return false;
            }
            return tree.class_of(other) != row_class;
        });
    };
    const Refutation found = refute(values, fixed, own_point, row_class, budget);
    expect((found.leaf != kNoValueLeaf) == reaches(n), "another verdict over values");
    if (found.leaf == kNoValueLeaf) {
        const auto wanted = needed(values, fixed, row_class, budget);
        for (std::size_t a = 0; a < n; ++a) {
            expect((wanted[a] != 0) == reaches(a), "not what is needed");
        }
    }
}

void check(std::uint64_t seed) {
    const DrawnTree tree = draw_tree(seed, kMostTests, kMostRows);
    Random random(~seed);
    check_conditions(tree, random);
    check_domain(tree, random);
}

// The same questions, with memory that runs out at some allocation.
void check_starved(std::uint64_t seed) {
    std::int64_t needed = 0;
    {
        const Starve plenty(kPlenty - 1);
        check(seed);
        needed = plenty.used();
    }
    Random random(seed ^ 0x5eed);
    for (int i = 0; i < kStarvedTimes; ++i) {
        try {
            const Starve little(random.below(static_cast<int>(needed)));
            check(seed);  // may do without: a sort without its buffer is only slower
        } catch (const std::bad_alloc&) {
        }
    }
}

int run(std::uint64_t trees, std::uint64_t first, unsigned n_threads) {
    std::atomic<std::uint64_t> next{0}, wrong{0};
    const auto work = [&] {
        for (std::uint64_t i = next++; i < trees && wrong == 0; i = next++) {
            try {
                (first + i) % kStarvedOneIn == 0 ? check_starved(first + i) : check(first + i);
            } catch (const std::exception& error) {
                std::printf("WRONG: seed %llu: %s\n", static_cast<unsigned long long>(first + i),
                            error.what());
                ++wrong;
            }
            if ((i + 1) % 250'000 == 0) {
                std::printf("%llu trees\n", static_cast<unsigned long long>(i + 1));
                std::fflush(stdout);
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < n_threads; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (wrong == 0) {
        std::printf("done: %llu trees in three vocabularies, none wrong\n",
                    static_cast<unsigned long long>(trees));
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fuzz

int main(int argc, char** argv) {
    const auto number = [&](int i, std::uint64_t usual) {
        return argc > i ? std::strtoull(argv[i], nullptr, 10) : usual;
    };
    return fuzz::run(number(1, 100'000), number(2, 1), static_cast<unsigned>(number(3, 1)));
}
