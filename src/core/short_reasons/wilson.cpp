#include "short_reasons/wilson.hpp"

#include <algorithm>
#include <cmath>

namespace cattleya::short_reasons {

namespace {

__extension__ using Wide = __int128;

// Whether k / kSteps is at most the lower bound: the smaller root p of
// (right - n p)^2 = z^2 n p (1 - p), where z^2 = 2401 / 625.
bool is_below(std::int64_t k, std::int64_t right, std::int64_t n) {
    if (Wide{k} * n > Wide{right} * kSteps) return false;
    const Wide square = Wide{625} * n * n + Wide{2401} * n;
    const Wide linear = Wide{1250} * right * n + Wide{2401} * n;
    const Wide constant = Wide{625} * right * right;
    return (square * k - linear * kSteps) * k + constant * kSteps * kSteps >= 0;
}

}  // namespace

std::int32_t lower_bound(std::int64_t right, std::int64_t wrong) {
    const std::int64_t n = right + wrong;
    if (n == 0) return 0;
    const double z2 = 2401.0 / 625.0, r = static_cast<double>(right),
                 w = static_cast<double>(wrong), all = static_cast<double>(n);
    const double root = std::sqrt(z2 * (z2 + 4 * r * w / all));
    const double guess = (2 * r + z2 - root) / (2 * (all + z2));
    std::int64_t k = std::clamp(static_cast<std::int64_t>(guess * static_cast<double>(kSteps)),
                                std::int64_t{0}, kSteps);
    while (k > 0 && !is_below(k, right, n)) --k;
    while (k < kSteps && is_below(k + 1, right, n)) ++k;
    return static_cast<std::int32_t>(k);
}

}  // namespace cattleya::short_reasons
