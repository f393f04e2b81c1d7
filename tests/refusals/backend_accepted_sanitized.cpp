// expect:
// options: -fsanitize=undefined
// Records are constants under this sanitizer, too, which changes what GCC knows of a function's address.
#include "backend_accepted.cpp"
