// records.hpp - the records that a backend library submits: constant, self-contained, versioned bytes.
//
// A record is a header and plain data: ids and tags are inline characters, and only functions are pointers,
// so a library's records can be read from its file without loading it. Records live in a linker section
// (inventory.hpp); nothing runs before main.
//
//     constexpr BackendRegistration registration{.id = "cpu", .factory = make, .supported_ops = supported_ops};
//     constexpr BackendPrecedence precedence{.id = "cpu", .rank = 100};
//     constexpr BackendCapability capability{.id = "cpu", .dispatches = true};
//     MUSTER_SUBMIT(registration);
//     MUSTER_SUBMIT(precedence);
//     MUSTER_SUBMIT(capability);
//
// A fourth record contributes a pack of patterns for models, and needs no backend:
//
//     constexpr BackendPatterns patterns{.id = "cpu", .pack = cpu_pack};
//     MUSTER_SUBMIT(patterns);
//
// The header fills itself in. The registry checks records against each other (registry.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster {
MUSTER_API_BEGIN

class Backend;  // backend.hpp
struct OpSet;   // foundation/ir/op.hpp
namespace graph {
struct Pack;  // a pack of patterns for models
}

/// Text of up to N-1 characters, stored inline; a longer literal doesn't compile.
template <std::size_t N>
struct InlineText {
    std::array<char, N> characters{};
    constexpr InlineText() = default;
    template <std::size_t M>
    constexpr InlineText(const char (&literal)[M]) {  // NOLINT: a literal is an id
        static_assert(M <= N, "too long for this kind of text");
        for (std::size_t i = 0; i + 1 < M; ++i) characters[i] = literal[i];
    }
    /// Appends as many characters as fit.
    constexpr InlineText& append(std::string_view more) {
        const std::size_t length = view().size();
        for (std::size_t i = 0; i < more.size() && length + i + 1 < N; ++i) characters[length + i] = more[i];
        return *this;
    }
    constexpr std::string_view view() const {
        std::size_t length = 0;
        while (length < N && characters[length] != '\0') ++length;
        return {characters.data(), length};
    }
    constexpr bool operator==(const InlineText&) const = default;
};

using Id = InlineText<32>;    // see valid_id()
using Tags = InlineText<96>;  // separated by spaces: "debug experimental"
using AbiText = InlineText<64>;
using BuildText = InlineText<96>;
using Origin = InlineText<64>;

using Factory = Result<std::unique_ptr<Backend>> (*)();
using SupportedOps = const OpSet& (*)();
using PackFunction = const graph::Pack& (*)();

/// True for an id of lower case letters, digits, '-' and '_' that begins with a letter.
constexpr bool valid_id(std::string_view id) {
    if (id.empty() || id.front() < 'a' || id.front() > 'z') return false;
    for (const char c : id)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) return false;
    return true;
}

inline constexpr std::uint32_t record_schema = 1;
enum class RecordKind : std::uint32_t {
    registration = 1,
    precedence = 2,
    capability = 3,
    expectation = 4,
    environment = 5,
    patterns = 6
};

/// The number of the contract between the driver and its backends. It rises with each change of a type that crosses:
/// tests/edge/contract.txt has a digest of them for each number.
#define MUSTER_CONTRACT "7"

/// Describes what this translation unit is compiled against: the contract's number, the C++ library and its
/// ABI, sanitizers. The registry refuses a record whose text differs from the driver's, because its functions
/// can't be called safely. Another version of muster with the same contract is welcome.
consteval AbiText abi_fingerprint() {
    AbiText text{"muster contract " MUSTER_CONTRACT};
#if defined(_LIBCPP_VERSION)
    text.append(" libc++");
#elif defined(__GLIBCXX__)
    text.append(" libstdc++");
#if _GLIBCXX_USE_CXX11_ABI
    text.append(" cxx11");
#endif
#if defined(_GLIBCXX_DEBUG)
    text.append(" debug");
#endif
#else
    text.append(" other");
#endif
    text.append(sizeof(void*) == 8 ? " 64" : " 32");
#if defined(__has_feature)
#define MUSTER_HAS_FEATURE(x) __has_feature(x)
#else
#define MUSTER_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || MUSTER_HAS_FEATURE(address_sanitizer)
    text.append(" asan");
#endif
#if defined(__SANITIZE_THREAD__) || MUSTER_HAS_FEATURE(thread_sanitizer)
    text.append(" tsan");
#endif
#if MUSTER_HAS_FEATURE(memory_sanitizer)
    text.append(" msan");
#endif
#undef MUSTER_HAS_FEATURE
    return text;
}

/// Describes this build of muster: its version and the above. What one build made, such as a kept verdict or stored
/// code, another doesn't take.
consteval BuildText build_fingerprint() {
    BuildText text{"muster " MUSTER_VERSION};
    return text.append(abi_fingerprint().view().substr(std::string_view("muster").size()));
}

/// The bytes that mark a record's beginning in a section or a file: "MUSTERr" and a control character.
inline constexpr std::array<char, 8> record_magic{'M', 'U', 'S', 'T', 'E', 'R', 'r', '\x01'};

/// The first bytes of every record. In every schema, present and future, the id directly follows the header,
/// so that a record that can't be used can still be named.
struct RecordHeader {
    std::array<char, 8> magic = record_magic;
    std::uint32_t schema = record_schema;
    RecordKind kind{};
    std::uint32_t size = 0;  // of the whole record, bytes
    std::uint32_t reserved = 0;
    AbiText abi = abi_fingerprint();
    Origin origin;  // source file and its folder: "backend-cpu/register.cpp"
};

/// Makes the header of a record of this kind and size; its origin is the caller's source file.
constexpr RecordHeader record_header(RecordKind kind, std::size_t size,
                                     const std::source_location where = std::source_location::current()) {
    std::string_view path = where.file_name();
    const std::size_t file = path.rfind('/');
    if (file != path.npos && file > 0) {
        const std::size_t folder = path.rfind('/', file - 1);
        path.remove_prefix(folder == path.npos ? 0 : folder + 1);
    }
    RecordHeader header;
    header.kind = kind;
    header.size = static_cast<std::uint32_t>(size);
    header.origin.append(path);
    return header;
}

/// Registers a backend: its id, its factory, and the operations that it can lower at all (called without a
/// device). Tags let policies refer to kinds of backends; automatic routing passes over those in
/// consent_tags (policy.hpp).
struct BackendRegistration {
    RecordHeader header = record_header(RecordKind::registration, sizeof(BackendRegistration));
    Id id{};
    Factory factory = nullptr;
    SupportedOps supported_ops = nullptr;
    Tags tags{};
};

inline constexpr std::uint32_t unranked = UINT32_MAX;
/// Ranks a backend: lower ranks win. A backend without this record is `unranked`, which comes last.
struct BackendPrecedence {
    RecordHeader header = record_header(RecordKind::precedence, sizeof(BackendPrecedence));
    Id id{};
    std::uint32_t rank = unranked;
    std::uint32_t reserved = 0;
};

/// Claims that a backend executes on devices. With `dispatches` false, or without this
/// record, it only emits code.
struct BackendCapability {
    RecordHeader header = record_header(RecordKind::capability, sizeof(BackendCapability));
    Id id{};
    bool dispatches = false;
    std::array<char, 7> reserved{};
};

/// States that the build linked a backend. The build submits it beside the executable that uses the
/// backend, so that the freeze can tell "not linked" from "dropped by the linker". It holds no
/// functions, so any ABI is accepted.
struct BackendExpectation {
    RecordHeader header = record_header(RecordKind::expectation, sizeof(BackendExpectation));
    Id id{};
};

using VariableNames = InlineText<192>;  // separated by spaces
/// Names the environment variables by which a backend's driver hides devices from a process. Routing mentions
/// those that are set when a device is missing. Optional.
struct BackendEnvironment {
    RecordHeader header = record_header(RecordKind::environment, sizeof(BackendEnvironment));
    Id id{};
    VariableNames hides_devices{};
};

/// Contributes a pack of patterns, by which models are rewritten and joined to kernels
/// (docs/packs.md). The id is the pack's, and has no backend: a library may contribute packs alone.
/// Calling the function touches no driver.
struct BackendPatterns {
    RecordHeader header = record_header(RecordKind::patterns, sizeof(BackendPatterns));
    Id id{};
    PackFunction pack = nullptr;
};

template <class T>
concept Record = std::is_same_v<T, BackendRegistration> || std::is_same_v<T, BackendPrecedence> ||
    std::is_same_v<T, BackendCapability> || std::is_same_v<T, BackendExpectation> ||
    std::is_same_v<T, BackendEnvironment> || std::is_same_v<T, BackendPatterns>;

// MUSTER_SUBMIT's checks of a record, one function each, so that the compiler's message names what is
// missing. A pointer counts as missing only if the compiler knows that it is null: with -fsanitize=undefined,
// GCC doesn't treat a comparison with a function's address as a constant.
template <const auto& record>
constexpr bool has_factory() {
    return !requires { requires std::bool_constant<record.factory == nullptr>::value; };
}
template <const auto& record>
constexpr bool has_supported_ops() {
    return !requires { requires std::bool_constant<record.supported_ops == nullptr>::value; };
}
template <const auto& record>
constexpr bool has_pack() {
    return !requires { requires std::bool_constant<record.pack == nullptr>::value; };
}
template <Record T>
constexpr bool is_of_backend(const T&) {
    return !std::is_same_v<T, BackendPatterns>;
}
template <Record T>
constexpr bool has_valid_tags(const T& record) {
    if constexpr (std::is_same_v<T, BackendRegistration>) {
        std::string_view tags = record.tags.view();
        while (!tags.empty()) {
            const std::size_t end = tags.find(' ');
            if (!valid_id(tags.substr(0, end))) return false;
            tags.remove_prefix(end == tags.npos ? tags.size() : end + 1);
        }
    }
    return true;
}

static_assert(sizeof(RecordHeader) == 152 && offsetof(BackendRegistration, id) == sizeof(RecordHeader));
static_assert(sizeof(BackendRegistration) == 280 + 2 * sizeof(void*) && alignof(BackendRegistration) <= 8);
static_assert(sizeof(BackendPrecedence) == 192 && sizeof(BackendCapability) == 192 &&
              sizeof(BackendExpectation) == 184 && sizeof(BackendEnvironment) == 376 &&
              sizeof(BackendPatterns) == 184 + sizeof(void*));

MUSTER_API_END
}  // namespace muster
