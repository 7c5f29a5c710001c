#include "batch/attributes.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "domain/widen.hpp"

namespace cattleya::batch {

using domain::DomainTree;

class AttributeRows::Features : public RowAtoms {
   public:
    explicit Features(const AttributeRows& rows)
        : rows_(rows), tree_(rows.tree_), place_(tree_.n_attributes(), 0) {}

    [[nodiscard]] std::size_t most() const override { return tree_.n_attributes(); }
    [[nodiscard]] bool keeps(std::int64_t) const override { return false; }

    void look_at(std::size_t row) override {
        cells_ = rows_.cells_.subspan(row * tree_.n_attributes(), tree_.n_attributes());
        path_ = tree_.path(cells_);
        find_path();
    }
    [[nodiscard]] std::int32_t row_class() const override { return path_.leaf_class; }
    [[nodiscard]] std::span<const std::int32_t> path() const override { return direct_; }

    const Clauses& clauses(Budget& budget) override {
        clauses_ = search(budget);
        return *clauses_;
    }
    void forget() override { clauses_.reset(); }

    [[nodiscard]] std::int32_t code(std::int32_t atom) const override { return atom; }
    [[nodiscard]] std::int32_t group(std::int32_t atom) const override { return atom; }
    [[nodiscard]] std::size_t n_groups() const override { return tree_.n_attributes(); }

    void tell(std::span<const std::int32_t> atoms, Reasons& to, Budget&) override {
        for (const std::int32_t atom : atoms) to.code.value.push_back(code(atom));
    }

   protected:
    virtual void find_path() {
        direct_.clear();
        for (const std::int32_t test : path_.conditions) {
            const std::int32_t attribute = tree_.attribute_of(test);
            if (!tree_.tells(test) || place_[attribute] != 0) continue;
            place_[attribute] = 1;
            direct_.push_back(attribute);
        }
        for (const std::int32_t attribute : direct_) place_[attribute] = 0;
    }
    [[nodiscard]] virtual Clauses search(Budget& budget) const {
        return tree_.feature_reason(cells_, path_.leaf_class, tree::kAnyOther, budget);
    }

    const AttributeRows& rows_;
    const DomainTree& tree_;
    std::span<const std::int32_t> cells_;
    tree::Path path_;
    std::vector<std::int32_t> direct_;

   private:
    std::vector<std::uint8_t> place_;
    std::optional<Clauses> clauses_;
};

class AttributeRows::Intervals : public AttributeRows::Features {
   public:
    explicit Intervals(const AttributeRows& rows)
        : Features(rows), widener_(tree_), first_atom_(tree_.n_attributes()) {}

    [[nodiscard]] std::size_t most() const override {
        return static_cast<std::size_t>(rows_.level_start_.back()) + tree_.n_attributes();
    }

    [[nodiscard]] std::int32_t code(std::int32_t atom) const override {
        const std::int32_t attribute = attribute_[atom];
        const std::int32_t level = level_of(atom);
        if (level < 0) return 2 * rows_.level_start_.back() + attribute;
        return 2 * (rows_.level_start_[attribute] + level) + (cells_[attribute] <= level ? 1 : 0);
    }
    [[nodiscard]] std::int32_t group(std::int32_t atom) const override { return attribute_[atom]; }

    void tell(std::span<const std::int32_t> atoms, Reasons& to, Budget& budget) override {
        Features::tell(atoms, to, budget);
        sides_.clear();
        for (const std::int32_t atom : atoms) {
            sides_.push_back({attribute_[atom], level_of(atom)});
        }
        widener_.widen(cells_, path_.leaf_class, sides_, budget);
        widener_.each_part([&](std::span<const std::int32_t> part) {
            to.part.add(part);
            to.part.close();
        });
    }

   protected:
    void find_path() override {
        attribute_.clear();
        for (std::size_t a = 0; a < tree_.n_attributes(); ++a) {
            const auto attribute = static_cast<std::int32_t>(a);
            first_atom_[a] = static_cast<std::int32_t>(attribute_.size());
            std::size_t count = rows_.has_single_[a] != 0 ? 1 : 0;
            if (cells_[a] != DomainTree::kMissing) count += tree_.n_levels(attribute);
            attribute_.insert(attribute_.end(), count, attribute);
        }
        direct_ = tree_.interval_path(path_.conditions, cells_, first_atom_);
    }
    [[nodiscard]] Clauses search(Budget& budget) const override {
        return tree_.interval_reason(cells_, first_atom_, path_.leaf_class, tree::kAnyOther,
                                     budget);
    }

   private:
    [[nodiscard]] std::int32_t level_of(std::int32_t atom) const {
        const std::int32_t attribute = attribute_[atom];
        return atom - first_atom_[attribute] - (rows_.has_single_[attribute] != 0 ? 1 : 0);
    }

    domain::Widener widener_;
    std::vector<domain::Side> sides_;
    std::vector<std::int32_t> first_atom_;  // by attribute
    std::vector<std::int32_t> attribute_;   // by atom
};

AttributeRows::AttributeRows(const DomainTree& tree, std::span<const std::int32_t> cells,
                             std::size_t n_rows, bool levels,
                             std::span<const std::uint8_t> has_single)
    : tree_(tree), cells_(cells), n_rows_(n_rows), levels_(levels), has_single_(has_single) {
    if (cells.size() != n_rows * tree.n_attributes()) {
        throw std::invalid_argument("there must be one cell per row and attribute");
    }
    if (levels && has_single.size() != tree.n_attributes()) {
        throw std::invalid_argument("has_single must have one entry per attribute");
    }
    std::int32_t levels_so_far = 0;
    for (std::size_t a = 0; a < tree.n_attributes(); ++a) {
        level_start_.push_back(levels_so_far);
        levels_so_far += tree.n_levels(static_cast<std::int32_t>(a));
    }
    level_start_.push_back(levels_so_far);
}

std::unique_ptr<RowAtoms> AttributeRows::atoms() const {
    if (levels_) return std::make_unique<Intervals>(*this);
    return std::make_unique<Features>(*this);
}

}  // namespace cattleya::batch
