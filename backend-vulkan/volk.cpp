// volk's one source file, under the names that api.hpp gives.
#include <dlfcn.h>  // not hidden: the system defines these

#include <muster/backend-vulkan/api.hpp>

#pragma GCC visibility push(hidden)
#include <volk.c>
#pragma GCC visibility pop
