// What is asked of every row of many, and the answers as arrays, one row after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/natural.hpp"

namespace cattleya::batch {

enum class Question : std::int32_t { kSufficient, kMinimal, kContrastive, kNecessary, kCount };

struct Asked {
    std::vector<Question> questions;  // in the order in which they are answered
    std::int64_t contrasts = 0;       // how many of the smallest are given, at the most
    // Atoms: that no reason may have, that no contrast may change, that a reason may need.
    std::vector<std::int32_t> excluded, immutable, guarded;
    bool asks_guarded = false;
    double seconds = std::numeric_limits<double>::infinity();  // a row
    std::int64_t memory = 0;                                   // a row, in bytes
};

enum class Status : std::uint8_t {
    kDone,
    kTimeout,
    kMemory,
    kRefused,  // there is no such reason, or something is wrong: the row alone says what
};

// Lists of numbers: list i is value[start[i]] .. value[start[i + 1] - 1].
template <class T>
struct Lists {
    std::vector<std::int64_t> start{0};
    std::vector<T> value;

    template <class Values>
    void add(const Values& values) {
        value.insert(value.end(), values.begin(), values.end());
    }
    void close() { start.push_back(static_cast<std::int64_t>(value.size())); }
    void append(const Lists& other) {
        const std::int64_t before = start.back();
        for (std::size_t i = 1; i < other.start.size(); ++i) {
            start.push_back(before + other.start[i]);
        }
        value.insert(value.end(), other.value.begin(), other.value.end());
    }
};

// A reason of each row: the codes of its atoms, and how many rows of a table it covers.
struct Reasons {
    Lists<std::int32_t> code;
    std::vector<std::int64_t> covered;
    // What it is printed as, where that is something else: parts of each row.
    Lists<std::int32_t> part;
    std::vector<std::int64_t> parts_end;

    void open() { covered.push_back(0); }
    void close() {
        code.close();
        parts_end.push_back(static_cast<std::int64_t>(part.start.size()) - 1);
    }
    void append(const Reasons& other);
};

// Sets have codes (vocabulary.hpp). What was not answered is empty or zero; `answered` has a bit
// for each question that was.
struct Answers {
    std::vector<Status> status;
    std::vector<std::uint8_t> answered, needs_guarded;
    std::vector<std::int32_t> row_class;
    std::vector<double> seconds;
    Reasons sufficient, minimal;
    Lists<std::int32_t> necessary;  // a row
    Lists<std::int32_t> contrasts;  // a contrast
    std::vector<std::int64_t> contrasts_end, contrast_count, relevant_count;
    Lists<std::uint64_t> count, minimal_count;  // limbs, the least first

    [[nodiscard]] std::size_t size() const { return status.size(); }
    void append(const Answers& other);
};

}  // namespace cattleya::batch
