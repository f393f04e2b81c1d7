// expect: patterns need a \.pack
#include "mine.hpp"

constexpr BackendPatterns patterns{.id = "mine"};
MUSTER_SUBMIT(patterns);
