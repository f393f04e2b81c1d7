// volk's one source file, under the names that api.hpp gives.
#include <muster/backend-vulkan/api.hpp>

#pragma GCC visibility push(hidden)
#include <volk.c>
#pragma GCC visibility pop
