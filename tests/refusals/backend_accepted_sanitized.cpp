// expect:
// options: -fsanitize=undefined
// Records are constants under this sanitizer, too, although it hides a function's address from GCC's constant
// evaluation.
#include "backend_accepted.cpp"
