// How safe a share is: the lower end of Wilson's interval at 95 %, in whole steps of 2^-28.
//
// A share of few rows flatters: 20 of 20 says less than 4,900 of 5,000. Sets of facts are compared
// by the share that their counts still vouch for. Steps make the comparison one of integers, so
// that every machine chooses the same set: each is decided by the sign of a polynomial with whole
// coefficients, which 128 bits hold for up to 2^28 rows. The quantile is 1.96 = 49/25.
#pragma once

#include <cstdint>

namespace cattleya::short_reasons {

constexpr std::int64_t kSteps = std::int64_t{1} << 28;
constexpr std::int64_t kMostRows = std::int64_t{1} << 28;

// The largest k with k / kSteps at most the lower bound; 0 where there are no rows.
std::int32_t lower_bound(std::int64_t right, std::int64_t wrong);

}  // namespace cattleya::short_reasons
