// api.hpp - Vulkan's types and constants, and volk's pointers to its functions.
//
// Nothing here links libvulkan: the loader is opened at run time (loader.hpp). volk's names are
// replaced by ours (needs.cmake says why) and hidden, so that none is visible outside the library
// that contains this backend.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

struct VolkDeviceTable;  // visible, since classes of ours have one as a member

#pragma GCC visibility push(hidden)
#include <muster_volk_names.h>  // before volk.h, whatever the alphabet says
// clang-format off
#include <volk.h>
// clang-format on
#pragma GCC visibility pop
