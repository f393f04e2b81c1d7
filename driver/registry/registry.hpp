// registry.hpp - the set of known backends: records, checked, sorted, and immutable afterwards.
//
// A Registry is built from modules' inventories or, for tests, from spans of records; the process's own one
// is built from all modules (freeze.hpp). A fault among records is named and affects only the backends that
// it concerns; nothing is ever resolved by link order:
//   - two registrations of one id: the fault names both libraries, neither is usable, all other backends are
//   - a precedence, capability or environment for an id that isn't registered; two of one
//     kind for one id: none counts
//   - an empty or malformed id, a null function, a record of another ABI or schema, a damaged one
//   - two packs of one id: neither is usable. A pack needs no backend of its id.
//   - a backend that the build linked but that isn't in the process: dropped by the linker
//   - records in a module that has lost the note which leads to them: looked for only if a backend is missing
//
// Threads: immutable, read from any. Lifetime: records must outlive it; modules' own are pinned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// One usable registration, with the contents of the other records of its id.
struct RegisteredBackend {
    std::string_view id;
    std::string_view tags;          // separated by spaces
    std::uint32_t rank = unranked;  // lower wins
    bool dispatches = false;        // claims to execute; else emission only
    std::function<Result<std::unique_ptr<Backend>>()>
        factory;                                  // unchecked; Registry::acquire checks its result
    std::function<const OpSet&()> supported_ops;  // touches no driver
    std::string_view hides_devices;               // environment variables, separated by spaces
    std::string_view module;                      // path of the executable or library that it is in
    std::string_view origin;                      // source file that registered it, with its folder

    bool has_tag(std::string_view tag) const;
};

struct BackendAt {
    const RegisteredBackend& operator()(const RegisteredBackend* backend) const { return *backend; }
};
/// A sequence of backends, with size() and operator[]. Registries that follow one another share
/// the backends themselves.
using BackendList = std::ranges::transform_view<std::span<const RegisteredBackend* const>, BackendAt>;

/// A pack of patterns that a library contributes.
struct RegisteredPack {
    std::string_view id;
    PackFunction pack = nullptr;  // unchecked; Registry::acquire_pack checks its result
    std::string_view module;      // path of the executable or library that it is in
    std::string_view origin;      // source file that submits it, with its folder
};

enum class RegistryRule : std::uint8_t {
    damaged_record,
    foreign_schema,
    foreign_abi,
    invalid_id,
    incomplete_registration,
    duplicate_registration,
    duplicate_precedence,
    duplicate_capability,
    orphaned_precedence,
    orphaned_capability,
    duplicate_environment,
    orphaned_environment,
    dropped_by_linker,
    incomplete_patterns,
    duplicate_patterns,
    lost_note,
};
/// The enumerator's name, e.g. "dropped_by_linker".
std::string_view name(RegistryRule rule);

/// A rule that records break. It affects no backend of another id.
struct RegistryFault {
    RegistryRule rule{};
    std::string id;  // printable; empty if the record is damaged
    Error error;
    bool of_pack = false;  // else of a backend
};

class Registry {
  public:
    /// `before`: shares the backends of this registry that haven't changed; it must outlive this one.
    static Registry from(std::vector<Inventory> inventories, const Registry* before = nullptr);
    static Registry from_records(std::span<const BackendRegistration> registrations,
                                 std::span<const BackendPrecedence> precedences = {},
                                 std::span<const BackendCapability> capabilities = {},
                                 std::span<const BackendExpectation> expectations = {},
                                 std::span<const BackendPatterns> patterns = {});

    Registry(Registry&&) = default;
    Registry& operator=(Registry&&) = default;

    BackendList by_id() const { return BackendList(by_id_, {}); }
    /// Sorted by rank, equal ranks by id.
    BackendList by_precedence() const { return BackendList(by_precedence_, {}); }
    /// The usable backend of this id, or null.
    const RegisteredBackend* find(std::string_view id) const;

    /// The usable packs, sorted by id.
    std::span<const RegisteredPack> packs() const { return packs_; }
    /// The usable pack of this id, or null.
    const RegisteredPack* find_pack(std::string_view id) const;

    std::span<const RegistryFault> faults() const { return faults_; }
    /// The first fault of a backend of this id, or null.
    const RegistryFault* fault(std::string_view id) const;
    /// The first fault of a pack of this id, or null.
    const RegistryFault* pack_fault(std::string_view id) const;

    /// Constructs a backend of this id with its factory, and checks that the backend returns the same id.
    /// Errors: not_found, with the known ids; the error of the id's fault if it isn't usable; the factory's
    /// own, with a fix if it has none; unavailable if the factory throws, returns null or constructs
    /// a backend of another id.
    Result<std::unique_ptr<Backend>> construct(std::string_view id) const;
    /// Likewise, and wraps it, so that its devices run programs with grid barriers. The same errors.
    Result<std::unique_ptr<Backend>> acquire(std::string_view id) const;

    /// The pack of this id, for as long as the process runs. Errors: not_found, with the known ids; the error
    /// of the id's fault if it isn't usable; unavailable if its function throws.
    Result<const graph::Pack*> acquire_pack(std::string_view id) const;

    /// The paths of the modules that it was built from.
    std::span<const std::string> modules() const { return modules_; }
    /// The records that it was built from, to detect that a new reading of the modules finds others.
    std::span<const RecordHeader* const> records() const { return records_; }

  private:
    Registry() = default;
    friend class RegistryBuilder;

    std::vector<std::string> modules_;
    std::vector<const RecordHeader*> records_;
    std::vector<std::unique_ptr<const RegisteredBackend>> made_;  // those that aren't of the registry before
    std::vector<const RegisteredBackend*> by_id_;
    std::vector<const RegisteredBackend*> by_precedence_;
    std::vector<RegisteredPack> packs_;
    std::vector<RegistryFault> faults_;
};

MUSTER_API_END
}  // namespace muster
