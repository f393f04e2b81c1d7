// Compiles volk's one source file, with the names and the visibility that api.hpp sets.
#include <muster/backend-vulkan/native/api.hpp>
// clang-format off
#include <volk.c>  // NOLINT(bugprone-suspicious-include): the source itself is what is wanted
// clang-format on
