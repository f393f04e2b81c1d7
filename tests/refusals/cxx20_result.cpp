// expect first: muster needs C\+\+23: compile with -std=c\+\+23
// options: -std=c++20
#include <muster/foundation/base/result.hpp>
