// expect: a registration needs a \.factory
#include "mine.hpp"

constexpr BackendRegistration registration{.id = "mine", .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);
