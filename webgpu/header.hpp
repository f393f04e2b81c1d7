// header.hpp - the C interface that this room implements, as the package that ships it declares it. README of
// the revision: docs/webgpu.md.
//
// `webgpu.h` is the standard's; `wgpu.h`, where it is there, adds functions that the Python package wgpu
// calls. Dawn's `webgpu.h` has what Dawn adds (dawn.cpp).
#pragma once

#define WGPU_SHARED_LIBRARY
#define WGPU_IMPLEMENTATION
#pragma GCC visibility push(default)  // wgpu.h marks nothing
#include <webgpu.h>
#if __has_include(<wgpu.h>)
#include <wgpu.h>
#define MUSTER_WEBGPU_HAS_WGPU_H 1
#endif
#pragma GCC visibility pop
#ifdef WGPU_DAWN_TOGGLES_DESCRIPTOR_INIT
#define MUSTER_WEBGPU_HAS_DAWN_H 1
#endif
