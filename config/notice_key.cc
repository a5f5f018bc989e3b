// SPDX-License-Identifier: BSD-3-Clause
#include "config/notice_key.h"

#include <algorithm>
#include <string>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "dataplane/core/check.h"

namespace weir {

namespace {

constexpr unsigned kSha256Bytes = 32;

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

struct NoticeKey::Context {
    EVP_MAC* algorithm = nullptr;
    EVP_MAC_CTX* keyed = nullptr;

    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() {
        EVP_MAC_CTX_free(keyed);
        EVP_MAC_free(algorithm);
    }
};

std::optional<std::array<std::uint8_t, kNoticeKeyBytes>> parse_notice_key(std::string_view text) {
    std::array<std::uint8_t, kNoticeKeyBytes> key{};
    if (text.size() != 2 * key.size()) return {};
    for (std::size_t i = 0; i < key.size(); ++i) {
        const int high = digit_of(text[2 * i]);
        const int low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) return {};
        key[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return key;
}

NoticeKey::NoticeKey(std::span<const std::uint8_t, kNoticeKeyBytes> key)
    : context_(std::make_unique<Context>()) {
    context_->algorithm = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
    WEIR_CHECK(context_->algorithm != nullptr);
    context_->keyed = EVP_MAC_CTX_new(context_->algorithm);
    WEIR_CHECK(context_->keyed != nullptr);
    std::string digest = "SHA256";
    const std::array<OSSL_PARAM, 2> parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    WEIR_CHECK(EVP_MAC_init(context_->keyed, key.data(), key.size(), parameters.data()) == 1);
}

NoticeKey::~NoticeKey() = default;
NoticeKey::NoticeKey(NoticeKey&&) noexcept = default;
NoticeKey& NoticeKey::operator=(NoticeKey&&) noexcept = default;

std::array<std::uint8_t, kNoticeMacBytes> NoticeKey::mac(std::span<const std::uint8_t> bytes) {
    std::array<std::uint8_t, kSha256Bytes> whole{};
    std::size_t length = 0;
    // Without a key it starts again with the one it has.
    WEIR_CHECK(EVP_MAC_init(context_->keyed, nullptr, 0, nullptr) == 1);
    WEIR_CHECK(EVP_MAC_update(context_->keyed, bytes.data(), bytes.size()) == 1);
    WEIR_CHECK(EVP_MAC_final(context_->keyed, whole.data(), &length, whole.size()) == 1);
    WEIR_CHECK(length == kSha256Bytes);
    std::array<std::uint8_t, kNoticeMacBytes> first{};
    std::copy_n(whole.begin(), first.size(), first.begin());
    return first;
}

void NoticeKey::sign(std::span<std::uint8_t> payload) {
    WEIR_CHECK(payload.size() >= kNoticeMacBytes);
    const auto written = mac(payload.first(payload.size() - kNoticeMacBytes));
    std::copy(written.begin(), written.end(), payload.end() - kNoticeMacBytes);
}

bool NoticeKey::is_signed(std::span<const std::uint8_t> payload) {
    if (payload.size() < kNoticeMacBytes) return false;
    const auto right = mac(payload.first(payload.size() - kNoticeMacBytes));
    return CRYPTO_memcmp(right.data(), payload.data() + payload.size() - kNoticeMacBytes,
                         kNoticeMacBytes) == 0;
}

}  // namespace weir
