// expect: abstract class type
#define OTHER_PROBE  // not declared as Backend declares it
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
