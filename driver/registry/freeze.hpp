// freeze.hpp - the process's registry: every module's records, read once, at first use, on any thread.
//
//     for (const RegisteredBackend& backend : registered_backends_by_precedence()) ...
//
// Nothing happens before that first use: linking a backend costs no start-up time and constructs nothing.
// After register_backend(), the next use makes a successor.
// Threads: any, at the same time. After the freeze, reading is one acquire load: wait-free, no allocation.
// registry().faults() lists the records' faults, the same for every caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The frozen registry; the first call freezes it. The registry, and all that it returns, stays
/// valid until the process ends.
const Registry& registry();

/// Reads the modules again, for libraries that were loaded since, and publishes a successor if records
/// differ. Spans and pointers of older registries stay valid, because their libraries are pinned and can't be
/// unmapped. A library's constructors must not call it, because they run under the loader's lock; while
/// muster itself opens the library, the call only returns the present registry.
const Registry& refreeze();

/// Opens a library and publishes a successor with its records. If `open` fails, the library's records aren't
/// read, even if the library stays mapped. No other thread reads the modules meanwhile. `module`: the name
/// that the loader will give it. Internal to the driver (plugins.hpp). The library's constructors must not
/// call it. Errors: open's.
Result<void> admit_module(const std::string& module, const std::function<Result<void>()>& open);

/// Publishes a successor without the records of this module, which stays mapped, so that older registries
/// stay valid. admit_module() takes it back. Returns false if the present registry has no records of it.
/// Internal to the driver (plugins.hpp).
bool retire_module(const std::string& module);

/// The module that admit_module() is opening on this thread: then the caller is one of its constructors,
/// which must not wait for the registry's lock. Empty: none.
const std::string& module_being_admitted();

/// All usable backends, sorted by id.
BackendList registered_backends();
/// All usable backends, sorted by rank (lower first), equal ranks by id.
BackendList registered_backends_by_precedence();
/// The usable backend of this id, or null.
const RegisteredBackend* find_backend(std::string_view id);
/// The rank of a usable backend; `unranked` if it has no precedence record, or if there is no such backend.
std::uint32_t backend_precedence(std::string_view id);
/// All usable packs of patterns, sorted by id, without those of plugins that aren't open
/// (driver/process/packs.hpp).
std::span<const RegisteredPack> registered_packs();
/// True if a usable backend claims to execute programs; false if it has no capability
/// record, or if there is none.
bool backend_dispatches(std::string_view id);

MUSTER_API_END
}  // namespace muster
