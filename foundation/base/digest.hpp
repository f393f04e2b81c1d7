// digest.hpp - SHA-256, which identifies what a stranger may have written: programs,
// artifacts, keys of the cache.
//
//     Hasher hash;
//     hash.text(name);
//     hash.array(words);
//     const Digest digest = hash.digest();
//
// Nobody can make two inputs of one digest, so whoever finds an equal digest needs no comparison. Checksums
// against damage are XXH3, which is faster and promises nothing of the kind. Threads: a hasher belongs to
// one, a digest is a plain value.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// 256 bits. The first word holds the first 8 bytes of the hash, the highest byte first.
struct Digest {
    std::array<std::uint64_t, 4> words{};
    constexpr auto operator<=>(const Digest&) const = default;
};
std::string to_string(const Digest& digest);  // 64 hexadecimal digits

/// The digest of bytes as they are.
Digest digest_of(std::span<const std::byte> bytes);
Digest digest_of(std::string_view text);

/// Fields in order, each of a fixed size or behind its length: different fields never give the same bytes.
class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void number(std::uint64_t value);
    void text(std::string_view text);
    template <class T>
    void array(std::span<const T> values) {
        static_assert(std::has_unique_object_representations_v<T>);
        number(values.size());
        bytes(std::as_bytes(values));
    }
    /// Bytes as they are, without their number.
    void bytes(std::span<const std::byte> bytes);
    Digest digest();  // ends the hasher

  private:
    struct State;
    std::unique_ptr<State> state_;
};

MUSTER_API_END
}  // namespace muster

/// Any part of a digest is as good as a hash of it.
template <>
struct std::hash<muster::Digest> {
    std::size_t operator()(const muster::Digest& digest) const noexcept { return digest.words[0]; }
};
