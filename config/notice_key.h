// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "dataplane/core/notice.h"

namespace weir {

inline constexpr unsigned kNoticeKeyBytes = 32;  // as many as SHA-256 gives (RFC 2104 section 3)

// The bytes of 64 hexadecimal digits; none: it is something else.
[[nodiscard]] std::optional<std::array<std::uint8_t, kNoticeKeyBytes>> parse_notice_key(
    std::string_view text);

// Signs and checks failure notices with the fabric's key: HMAC-SHA-256 (RFC 2104, OpenSSL's), its
// first 16 bytes. One thread at a time; no memory is taken after the constructor.
class NoticeKey {
  public:
    explicit NoticeKey(std::span<const std::uint8_t, kNoticeKeyBytes> key);
    ~NoticeKey();
    NoticeKey(NoticeKey&&) noexcept;
    NoticeKey& operator=(NoticeKey&&) noexcept;

    // `payload`: a whole notice, at least kNoticeMacBytes long; its last bytes are written.
    void sign(std::span<std::uint8_t> payload);
    // Whether the last bytes are what sign() would write. As long for wrong ones as for right ones.
    [[nodiscard]] bool is_signed(std::span<const std::uint8_t> payload);

  private:
    struct Context;

    [[nodiscard]] std::array<std::uint8_t, kNoticeMacBytes> mac(
        std::span<const std::uint8_t> bytes);

    std::unique_ptr<Context> context_;
};

}  // namespace weir
