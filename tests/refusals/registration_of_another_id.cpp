// expect: a record.s id is the NAME of muster_backend.NAME.
#define MUSTER_BACKEND_ID "yours"
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
