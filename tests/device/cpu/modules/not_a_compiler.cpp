// not_a_compiler - a library that isn't the compiler's module.
extern "C" int something_else() { return 1; }
