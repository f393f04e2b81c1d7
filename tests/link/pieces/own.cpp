// Lists the registry of the driver that this module is linked to.
//
// It may be in a namespace of its own, with a C library of its own, whose stdout nothing flushes at the end.
#include <cstdio>

#include "list.hpp"

extern "C" [[gnu::visibility("default")]] void print_own() {
    std::fputs(list(muster::registry()).c_str(), stdout);
    std::fflush(stdout);
}

extern "C" [[gnu::visibility("default")]] void print_own_modules() {
    std::fputs(list_modules(muster::registry()).c_str(), stdout);
    std::fflush(stdout);
}
