// expect: a registration.s tags
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact, .tags = "Debug!"};
MUSTER_SUBMIT(registration);
