// expect: a backend.s id is lower case letters
#include "mine.hpp"

constexpr BackendRegistration registration{.factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
