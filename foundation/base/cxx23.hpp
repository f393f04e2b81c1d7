// cxx23.hpp - reports a compiler mode older than C++23 with one clear error, before other headers fail on it.
#pragma once

#if __cplusplus <= 202002L
#error \
    "muster needs C++23: compile with -std=c++23 (GCC 12 or later, Clang 19 or later); in CMake, set CMAKE_CXX_STANDARD to 23 or link muster::muster, which asks for it."
#endif
