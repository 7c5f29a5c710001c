// The rows of a table, kept by the leaf of the tree that they come to: how many of them a reason
// covers.
//
// A reason leaves few leaves open, all of the row's class, so that only the rows of these are
// looked at. A row is kept as the place of its value among the thresholds of each feature. And many
// rows have one reason: what was counted is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tree/engine.hpp"

namespace cattleya::batch {

class Table {
   public:
    // Row i of the matrix, which has no missing value where the tree looks, is there times[i]
    // times. Throws std::invalid_argument where the tree's conditions do not stand in their order.
    Table(const tree::Engine& engine, std::span<const double> matrix,
          std::span<const std::int64_t> times);
    Table(const tree::Engine& engine, std::span<const float> matrix,
          std::span<const std::int64_t> times);

    // How many rows get a class.
    [[nodiscard]] std::int64_t of_class(std::int32_t row_class) const {
        return total_.at(static_cast<std::size_t>(row_class));
    }

    // Counts the rows that hold some conditions; kept from one reason to the next.
    class Counter {
       public:
        explicit Counter(const Table& table);
        // The conditions are given as 2 n, or 2 n + 1 where condition n holds; all the rows that
        // hold them get one class.
        std::int64_t operator()(std::span<const std::int32_t> codes);

       private:
        [[nodiscard]] std::int64_t count(std::span<const std::int32_t> codes);
        // Of a feature, the cells that are left: above + 1 .. up_to.
        struct Interval {
            std::int32_t above, up_to;
        };
        template <class Cell>
        [[nodiscard]] std::int64_t in_leaf(std::int32_t leaf, const std::vector<Cell>& cells) const;

        const Table& table_;
        std::vector<Interval> interval_;   // by stretch
        std::vector<std::int32_t> bound_;  // the stretches of which some cells are not left
        std::vector<std::int32_t> open_;
    };

   private:
    // Some of the numbers that were counted, by the codes of the reason; any thread may use it.
    class Counted {
       public:
        [[nodiscard]] std::optional<std::int64_t> find(const std::string& reason);
        void put(std::string reason, std::int64_t count);

       private:
        static constexpr std::size_t kMost = std::size_t{1} << 16;
        std::mutex mutex_;
        std::unordered_map<std::string, std::int64_t> count_;
    };

    [[nodiscard]] bool is_narrow() const;
    template <class Number>
    void fill(std::span<const Number> matrix, std::span<const std::int64_t> times);

    const tree::Engine& engine_;
    std::unique_ptr<Counted> counted_ = std::make_unique<Counted>();
    std::vector<std::int32_t> stretch_of_;  // by condition
    std::vector<std::int64_t> first_;       // by node: its first row; one more at the end
    // Row after row, one per stretch, counted from its first; in few bytes, where that will do.
    std::vector<std::uint16_t> narrow_;
    std::vector<std::int32_t> wide_;
    std::vector<std::int64_t> times_;
    std::vector<std::int64_t> total_;  // by class
};

}  // namespace cattleya::batch
