// api.hpp - Vulkan as this room sees it: its types and constants, and volk's pointers to its functions.
//
// Nothing here links libvulkan: the loader is opened at run time (loader.hpp). volk's names are ours (needs.cmake says
// why), and hidden, so that none of them is seen from outside of the library that holds this backend.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

struct VolkDeviceTable;  // visible: classes of ours that hold one are

#pragma GCC visibility push(hidden)
#include <muster_volk_names.h>  // before volk.h, whatever the alphabet says
// clang-format off
#include <volk.h>
// clang-format on
#pragma GCC visibility pop
