// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tables/prefix_lists.h"

#include <random>
#include <set>
#include <utility>

namespace weir {

namespace {

IpAddress mask_of(unsigned length) {
    const std::uint64_t ones = ~std::uint64_t{0};
    if (length == 0) return {0, 0};
    if (length <= 64) return {ones << (64 - length), 0};
    return {ones, ones << (128 - length)};
}

IpAddress first_in(const IpAddress& address, unsigned length) {
    const IpAddress mask = mask_of(length);
    return {address.high & mask.high, address.low & mask.low};
}

IpAddress next(const IpAddress& a) {
    return {a.high + (a.low + 1 == 0 ? 1 : 0), a.low + 1};
}

IpAddress before(const IpAddress& a) {
    return {a.high - (a.low == 0 ? 1 : 0), a.low - 1};
}

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    IpAddress address(bool v4) {
        const std::uint64_t high = random_();
        if (v4) return IpAddress::v4(static_cast<std::uint32_t>(high));
        return {high, random_()};
    }

    // The address with its bits behind `length` drawn anew.
    IpAddress within(const TriePrefix& outer, bool v4) {
        const IpAddress mask = mask_of(outer.length);
        const IpAddress inner = address(v4);
        return {outer.address.high | (inner.high & ~mask.high),
                outer.address.low | (inner.low & ~mask.low)};
    }

  private:
    std::mt19937_64 random_;
};

std::vector<TriePrefix> random_prefixes(std::uint64_t seed, std::size_t count,
                                        std::pair<unsigned, unsigned> lengths, bool v4) {
    Draw draw(seed);
    std::set<std::pair<IpAddress, unsigned>> known;
    std::vector<TriePrefix> prefixes;
    while (prefixes.size() < count) {
        const auto length =
            static_cast<unsigned>(lengths.first + draw.below(lengths.second - lengths.first + 1));
        const bool nested = !prefixes.empty() && draw.below(3) == 0;
        const IpAddress address =
            nested ? draw.within(prefixes[draw.below(prefixes.size())], v4) : draw.address(v4);
        const IpAddress first = first_in(address, length);
        if (!v4 && first.is_v4()) continue;
        if (!known.emplace(first, length).second) continue;
        const auto route = static_cast<std::uint32_t>(prefixes.size() + 1);
        prefixes.push_back({first, static_cast<std::uint8_t>(length), route});
    }
    return prefixes;
}

}  // namespace

TriePrefix ipv4_prefix(std::uint32_t address, unsigned length, std::uint32_t route) {
    return {IpAddress::v4(address), static_cast<std::uint8_t>(96 + length), route};
}

TriePrefix ipv6_prefix(std::uint64_t high, std::uint64_t low, unsigned length,
                       std::uint32_t route) {
    return {{high, low}, static_cast<std::uint8_t>(length), route};
}

IpAddress last_address(const TriePrefix& prefix) {
    const IpAddress mask = mask_of(prefix.length);
    return {prefix.address.high | ~mask.high, prefix.address.low | ~mask.low};
}

std::vector<TriePrefix> random_ipv4(std::uint64_t seed, std::size_t count, unsigned shortest,
                                    unsigned longest) {
    return random_prefixes(seed, count, {96 + shortest, 96 + longest}, true);
}

std::vector<TriePrefix> random_ipv6(std::uint64_t seed, std::size_t count, unsigned shortest,
                                    unsigned longest) {
    return random_prefixes(seed, count, {shortest, longest}, false);
}

std::vector<TriePrefix> random_slash24(std::uint64_t seed, std::size_t count) {
    Draw draw(seed);
    std::set<std::uint32_t> nets;
    while (nets.size() < count) nets.insert(static_cast<std::uint32_t>(draw.below(65'536)));
    std::vector<TriePrefix> prefixes;
    for (const std::uint32_t net : nets) {
        const auto route = static_cast<std::uint32_t>(1 + draw.below(8));
        prefixes.push_back(ipv4_prefix(0x0a00'0000 | (net << 8), 24, route));
    }
    return prefixes;
}

std::vector<IpAddress> telling_addresses(std::span<const TriePrefix> prefixes, std::uint64_t seed) {
    Draw draw(seed);
    std::vector<IpAddress> addresses;
    for (const TriePrefix& prefix : prefixes) {
        const bool v4 = prefix.address.is_v4();
        const IpAddress first = prefix.address;
        const IpAddress last = last_address(prefix);
        for (const IpAddress& address :
             {first, last, before(first), next(last), draw.within(prefix, v4), draw.address(v4)}) {
            if (address.is_v4() == v4) addresses.push_back(address);
        }
    }
    return addresses;
}

std::uint32_t naive_find(std::span<const TriePrefix> prefixes, const IpAddress& address) {
    std::uint32_t route = kNoRouteIndex;
    int longest = -1;
    for (const TriePrefix& prefix : prefixes) {
        const IpAddress mask = mask_of(prefix.length);
        if ((address.high & mask.high) != prefix.address.high) continue;
        if ((address.low & mask.low) != prefix.address.low) continue;
        if (prefix.length <= longest) continue;
        longest = prefix.length;
        route = prefix.route;
    }
    return route;
}

std::uint32_t trie_find(const OwnedRouteTrie& trie, const IpAddress& address) {
    if (address.is_v4()) return trie.view().find(std::uint64_t{address.v4_value()} << 32, 0);
    return trie.view().find(address.high, address.low);
}

}  // namespace weir
