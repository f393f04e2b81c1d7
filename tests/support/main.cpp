#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>

#include <doctest/doctest.h>

// Tests find nothing that earlier ones kept, and keep nothing.
int main(int argc, char** argv) {
    setenv("MUSTER_CACHE_DIR", "", 0);
    return doctest::Context(argc, argv).run();
}
