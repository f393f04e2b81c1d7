// freeze.hpp - the process's backends: every module's records, read once, at first use, in any thread.
//
//     for (const RegisteredBackend& backend : registered_backends_by_precedence()) ...
//
// Nothing happens before that first use: linking a backend costs no start-up time and constructs nothing.
// Threads: all of these from any, at once. After the freeze, reading is one acquire load: wait-free, no
// allocation. What is wrong among records is in registry().faults(), the same for every caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <muster/driver/registry/registry.hpp>

namespace muster {

/// The frozen registry; freezes at first use. It, and everything it hands out, stays valid until the process
/// ends.
const Registry& registry();

/// Reads the modules again, for a library that was loaded since, and publishes a successor where records
/// differ. Spans and pointers of older registries stay valid: their libraries are pinned, they can't be
/// unmapped. Not to be called by a library's constructors, which run under the loader's lock: where muster itself
/// opens the library, it reads nothing, and returns the newest that there is.
const Registry& refreeze();

/// Opens a library and publishes a successor with its records, or neither: what `open` refuses isn't read, even if
/// the library stays mapped. Nobody else reads the modules meanwhile. `module`: as the loader will name it.
/// Internal to the driver (plugins.hpp). Not to be called by such a library's
/// constructors. Errors: open's.
Result<void> admit_module(const std::string& module, const std::function<Result<void>()>& open);

/// Publishes a successor without the records of this module, which stays mapped and what older registries say of it
/// valid. admit_module() takes it back. False: the newest has nothing of it. Internal to the driver (plugins.hpp).
bool retire_module(const std::string& module);

/// The module that admit_module() opens on this thread, so that what asks is one of its constructors, which nothing here
/// can wait for. Empty: none.
const std::string& module_being_admitted();

/// All usable backends, by id.
std::span<const RegisteredBackend> registered_backends();
/// The same, by rank (lower first), equal ranks by id.
std::span<const RegisteredBackend> registered_backends_by_precedence();
/// Null where no usable backend is called that.
const RegisteredBackend* find_backend(std::string_view id);
/// Its rank; `unranked` where no record says, or no usable backend is called that.
std::uint32_t backend_precedence(std::string_view id);
/// Whether it claims to execute programs; false where no record says, or no usable backend is called that.
bool backend_dispatches(std::string_view id);

}  // namespace muster
