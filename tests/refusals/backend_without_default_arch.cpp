// expect: the backend misses default_arch\(\)
#define WITHOUT_DEFAULT_ARCH
#include "mine.hpp"

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
