// api.hpp - types of CUDA's driver API. Its functions are looked up at run time
// (loader.hpp); nothing is linked.
//
// Include this first: cuda.h turns names that have a newer version into macros
// (cuMemAlloc into cuMemAlloc_v2).
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
