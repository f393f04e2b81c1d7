#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>

#include <doctest/doctest.h>

// Runs the tests without a cache folder, so that they neither find results of earlier runs nor keep any.
int main(int argc, char** argv) {
    setenv("MUSTER_CACHE_DIR", "", 0);
    return doctest::Context(argc, argv).run();
}
