// records.hpp - what a backend library submits: constant, self-contained, versioned bytes.
//
// A record is a header and plain data: ids and tags are inline characters, only functions are pointers. So a
// library's records can be read from its file without loading it. Records live in linker sections (inventory.hpp);
// nothing runs before main.
//
//     constexpr BackendRegistration registration{.id = "cpu", .factory = make_backend, .supported_ops = supported_ops};
//     constexpr BackendPrecedence   precedence{.id = "cpu", .rank = 100};
//     constexpr BackendCapability   capability{.id = "cpu", .dispatches = true};
//     MUSTER_SUBMIT(registration);  MUSTER_SUBMIT(precedence);  MUSTER_SUBMIT(capability);
#pragma once

#include <muster/foundation/op.hpp>
#include <muster/foundation/result.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace muster {

class Backend;  // backend.hpp

/// Up to N-1 characters, inline; a longer literal doesn't compile where it is a constant.
template <std::size_t N>
struct InlineText {
    std::array<char, N> characters{};
    constexpr InlineText() = default;
    template <std::size_t M>
    constexpr InlineText(const char (&literal)[M]) {  // NOLINT: a literal is an id
        static_assert(M <= N, "too long for this kind of id");
        for (std::size_t i = 0; i + 1 < M; ++i) characters[i] = literal[i];
    }
    constexpr std::string_view view() const {
        std::size_t length = 0;
        while (length < N && characters[length] != '\0') ++length;
        return {characters.data(), length};
    }
    constexpr bool operator==(const InlineText&) const = default;
};

using Id = InlineText<32>;     // lower case, digits, '-' and '_'
using Tags = InlineText<96>;   // separated by spaces: "debug experimental"
using AbiText = InlineText<64>;

using Factory = Result<std::unique_ptr<Backend>> (*)();
using SupportedOps = const OpSet& (*)();

inline constexpr std::uint32_t record_schema = 1;
enum class RecordKind : std::uint32_t { registration = 1, precedence = 2, capability = 3, expectation = 4 };

/// What this translation unit was compiled against: muster's version, the C++ library and its ABI, sanitizers.
/// A record whose text differs from the driver's is refused, by name.
consteval AbiText abi_fingerprint();

struct RecordHeader {
    std::array<char, 8> magic{'M', 'U', 'S', 'T', 'E', 'R', 'r', '\x01'};
    std::uint32_t schema = record_schema;
    RecordKind kind{};
    std::uint32_t size = 0;  // of the whole record, bytes
    std::uint32_t reserved = 0;
    AbiText abi;
};

// The bodies, inventory sections and MUSTER_SUBMIT are the inventory's: see there.

}  // namespace muster
