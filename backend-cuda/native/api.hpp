// api.hpp - the types of CUDA's driver API. Its functions come at run time, by a table (loader.hpp): no call is linked.
//
// cuda.h makes macros of names with a newer version, as cuMemAlloc of cuMemAlloc_v2: include this first of all.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
