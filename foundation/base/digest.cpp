#include <bit>

#include <sha2.h>

#include <muster/foundation/base/digest.hpp>

namespace muster {

struct Hasher::State {
    SHA2_CTX context;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { SHA256Init(&state_->context); }
Hasher::~Hasher() = default;

void Hasher::bytes(std::span<const std::byte> bytes) {
    SHA256Update(&state_->context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void Hasher::number(std::uint64_t value) { bytes(std::as_bytes(std::span(&value, 1))); }

void Hasher::text(std::string_view text) { array(std::span(text)); }

Digest Hasher::digest() {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> bytes{};
    SHA256Final(bytes.data(), &state_->context);
    Digest digest;
    for (std::size_t i = 0; i < bytes.size(); ++i) digest.words[i / 8] = digest.words[i / 8] << 8 | bytes[i];
    return digest;
}

Digest digest_of(std::span<const std::byte> bytes) {
    Hasher hash;
    hash.bytes(bytes);
    return hash.digest();
}

Digest digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

std::string to_string(const Digest& digest) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::uint64_t word : digest.words)
        for (unsigned shift = 64; shift > 0;) text += digits[word >> (shift -= 4) & 15];
    return text;
}

}  // namespace muster
