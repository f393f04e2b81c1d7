// expect:
#define MUSTER_BACKEND_ID "mine"
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = MUSTER_BACKEND_ID, .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
