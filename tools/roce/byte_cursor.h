// SPDX-License-Identifier: BSD-3-Clause
// Big-endian reading and writing of wire bytes, with a bounds check at every step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::roce {

// Takes bytes from the front. After the first take that does not fit, every further one gives zero
// and ok() stays false, so that a caller reads a whole header and asks once.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::uint8_t take_u8() { return static_cast<std::uint8_t>(take_number(1)); }
    std::uint16_t take_be16() { return static_cast<std::uint16_t>(take_number(2)); }
    std::uint32_t take_be24() { return static_cast<std::uint32_t>(take_number(3)); }
    std::uint32_t take_be32() { return static_cast<std::uint32_t>(take_number(4)); }
    std::uint64_t take_be64() { return take_number(8); }

    // An empty span if they do not fit.
    std::span<const std::uint8_t> take(std::size_t count) {
        if (!fits(count)) return {};
        const std::span<const std::uint8_t> taken = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return taken;
    }

    template <std::size_t N>
    std::array<std::uint8_t, N> take_array() {
        std::array<std::uint8_t, N> taken{};
        std::ranges::copy(take(N), taken.begin());
        return taken;
    }

    bool ok() const { return ok_; }
    std::span<const std::uint8_t> left() const { return bytes_; }

  private:
    bool fits(std::size_t count) {
        ok_ = ok_ && count <= bytes_.size();
        return ok_;
    }

    std::uint64_t take_number(std::size_t count) {
        std::uint64_t number = 0;
        for (const std::uint8_t byte : take(count)) number = number << 8 | byte;
        return number;
    }

    std::span<const std::uint8_t> bytes_;
    bool ok_ = true;
};

// Puts bytes one after the other; what does not fit is not written and ok() stays false.
class ByteWriter {
  public:
    explicit ByteWriter(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

    void put_u8(std::uint8_t value) { put_number(value, 1); }
    void put_be16(std::uint16_t value) { put_number(value, 2); }
    void put_be24(std::uint32_t value) { put_number(value, 3); }
    void put_be32(std::uint32_t value) { put_number(value, 4); }
    void put_be64(std::uint64_t value) { put_number(value, 8); }

    void put(std::span<const std::uint8_t> source) {
        if (fits(source.size())) std::ranges::copy(source, advance(source.size()).begin());
    }

    void put_zeros(std::size_t count) {
        if (fits(count)) std::ranges::fill(advance(count), std::uint8_t{0});
    }

    bool ok() const { return ok_; }
    std::size_t written() const { return written_; }

  private:
    bool fits(std::size_t count) {
        ok_ = ok_ && count <= bytes_.size() - written_;
        return ok_;
    }

    std::span<std::uint8_t> advance(std::size_t count) {
        const std::span<std::uint8_t> place = bytes_.subspan(written_, count);
        written_ += count;
        return place;
    }

    void put_number(std::uint64_t value, std::size_t count) {
        if (!fits(count)) return;
        for (std::uint8_t& byte : advance(count)) {
            --count;
            byte = static_cast<std::uint8_t>(value >> (8 * count));
        }
    }

    std::span<std::uint8_t> bytes_;
    std::size_t written_ = 0;
    bool ok_ = true;
};

}  // namespace weir::roce
