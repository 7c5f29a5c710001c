#include "support/natural.hpp"

#include <bit>
#include <utility>

namespace cattleya {
namespace {
__extension__ using DoubleLimb = unsigned __int128;
}

void trim(Natural& a) {
    while (!a.empty() && a.back() == 0) a.pop_back();
}

Natural natural_from(const std::uint64_t* limbs, int count) {
    Natural result(limbs, limbs + count);
    trim(result);
    return result;
}

Natural multiply(const Natural& a, const Natural& b) {
    Natural result(a.size() + b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const DoubleLimb sum = DoubleLimb{a[i]} * b[j] + result[i + j] + carry;
            result[i + j] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
        result[i + b.size()] = carry;
    }
    trim(result);
    return result;
}

Natural add(const Natural& a, const Natural& b) {
    const Natural& longer = a.size() >= b.size() ? a : b;
    const Natural& shorter = a.size() >= b.size() ? b : a;
    Natural result = longer;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < result.size() && (i < shorter.size() || carry != 0); ++i) {
        const DoubleLimb sum =
            DoubleLimb{result[i]} + (i < shorter.size() ? shorter[i] : 0) + carry;
        result[i] = static_cast<std::uint64_t>(sum);
        carry = static_cast<std::uint64_t>(sum >> 64);
    }
    if (carry != 0) result.push_back(carry);
    return result;
}

Natural subtract(const Natural& a, const Natural& b) {
    Natural result = a;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < result.size() && (i < b.size() || borrow != 0); ++i) {
        const DoubleLimb difference = DoubleLimb{result[i]} - (i < b.size() ? b[i] : 0) - borrow;
        result[i] = static_cast<std::uint64_t>(difference);
        borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    trim(result);
    return result;
}

bool less(const Natural& a, const Natural& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    for (std::size_t i = a.size(); i-- > 0;) {
        if (a[i] != b[i]) return a[i] < b[i];
    }
    return false;
}

int bit_length(const Natural& a) {
    return a.empty() ? 0 : static_cast<int>(64 * (a.size() - 1)) + std::bit_width(a.back());
}

Natural product(Vector<Natural> factors) {
    if (factors.empty()) return {1};
    while (factors.size() > 1) {
        Vector<Natural> halved;
        for (std::size_t i = 0; i + 1 < factors.size(); i += 2) {
            halved.push_back(multiply(factors[i], factors[i + 1]));
        }
        if (factors.size() % 2 == 1) halved.push_back(std::move(factors.back()));
        factors = std::move(halved);
    }
    return std::move(factors.front());
}

}  // namespace cattleya
