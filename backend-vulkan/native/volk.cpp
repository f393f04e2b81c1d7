// volk's one source file, under the names, and as hidden, as api.hpp has them.
#include <muster/backend-vulkan/native/api.hpp>
// clang-format off
#include <volk.c>  // NOLINT(bugprone-suspicious-include): the source itself is what is wanted
// clang-format on
