// parts_entry.hpp - the two ways to the parts (parts.hpp): linked beside libmuster, or
// a function of the module.
#pragma once

#include <muster/c/parts.hpp>

extern "C" {
/// The parts of a static link; its address is null where they aren't linked.
[[gnu::weak, gnu::visibility("hidden")]] muster::c::Parts* muster_c_parts_linked();
/// The module's only exported function.
[[gnu::visibility("default")]] muster::c::Parts* muster_c_parts();
}
