// volk's one source file, under the names, and as hidden, as api.hpp has them.
#include <muster/backend-vulkan/api.hpp>
// clang-format off
#include <volk.c>
// clang-format on
