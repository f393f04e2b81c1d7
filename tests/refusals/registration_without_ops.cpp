// expect: a registration needs \.supported_ops
#include "mine.hpp"

constexpr BackendRegistration registration{.id = "mine", .factory = make_backend<Mine>};
MUSTER_SUBMIT(registration);
