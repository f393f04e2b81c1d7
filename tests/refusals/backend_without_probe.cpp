// expect: abstract class type
#define WITHOUT_PROBE
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
