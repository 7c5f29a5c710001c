#include "batch/conditions.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "reasons/complete_reason.hpp"

namespace cattleya::batch {

class ConditionRows::Atoms : public RowAtoms {
   public:
    explicit Atoms(const ConditionRows& rows)
        : rows_(rows), engine_(rows.engine_), truth_(engine_.n_conditions()) {
        if (rows.table_ != nullptr) counter_.emplace(*rows.table_);
    }

    [[nodiscard]] std::size_t most() const override { return engine_.n_conditions(); }
    [[nodiscard]] bool keeps(std::int64_t memory) const override {
        return reasons::CompleteReason::most_bytes(engine_) <= memory;
    }

    void look_at(std::size_t row) override {
        const std::size_t width = engine_.n_features();
        engine_.evaluate(rows_.matrix_.subspan(row * width, width), truth_);
        path_ = engine_.path(truth_);
    }
    [[nodiscard]] std::int32_t row_class() const override { return path_.leaf_class; }
    [[nodiscard]] std::span<const std::int32_t> path() const override { return path_.conditions; }

    const Clauses& clauses(Budget& budget) override {
        if (search_ == nullptr) search_ = std::make_unique<reasons::CompleteReason>(engine_);
        return (*search_)(truth_, path_.leaf_class, tree::kAnyOther, budget);
    }
    void forget() override { search_.reset(); }

    [[nodiscard]] std::int32_t code(std::int32_t atom) const override {
        return 2 * atom + truth_[atom];
    }
    [[nodiscard]] std::int32_t group(std::int32_t atom) const override { return atom; }
    [[nodiscard]] std::size_t n_groups() const override { return engine_.n_conditions(); }

    void tell(std::span<const std::int32_t> atoms, Reasons& to, Budget&) override {
        const std::size_t before = to.code.value.size();
        for (const std::int32_t atom : atoms) to.code.value.push_back(code(atom));
        if (counter_) to.covered.back() = (*counter_)(std::span(to.code.value).subspan(before));
    }

   private:
    const ConditionRows& rows_;
    const tree::Engine& engine_;
    std::optional<Table::Counter> counter_;
    std::vector<std::uint8_t> truth_;
    tree::Path path_;
    std::unique_ptr<reasons::CompleteReason> search_;
};

ConditionRows::ConditionRows(const tree::Engine& engine, const Table* table,
                             std::span<const double> matrix, std::size_t n_rows)
    : engine_(engine), table_(table), matrix_(matrix), n_rows_(n_rows) {
    if (matrix.size() != n_rows * engine.n_features()) {
        throw std::invalid_argument("the matrix has not one value per row and feature");
    }
}

std::unique_ptr<RowAtoms> ConditionRows::atoms() const { return std::make_unique<Atoms>(*this); }

}  // namespace cattleya::batch
