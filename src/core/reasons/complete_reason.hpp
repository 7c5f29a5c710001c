// The complete reason of a row over conditions.
#pragma once

#include <cstdint>
#include <span>

#include "support/budget.hpp"
#include "support/clauses.hpp"
#include "tree/engine.hpp"

namespace cattleya::reasons {

// Every minimal set of conditions whose change can bring the row of this truth vector and class to
// another class (or to the one class `toward`).
[[nodiscard]] Clauses complete_reason(const tree::Engine& engine,
                                      std::span<const std::uint8_t> truth, std::int32_t row_class,
                                      std::int32_t toward, Budget& budget);

}  // namespace cattleya::reasons
