// variant.hpp - submits a backend of a test, as one that runs only if it is named.
#pragma once

#include <muster/driver/contract/inventory.hpp>

namespace muster::test {
inline constexpr Tags variant_tags = "debug test", long_variant_tags = "debug test long";
}

/// `name`: of the records. The room's supported_ops() are the backend's.
#define MUSTER_VARIANT(name, its_id, make, its_tags)                                      \
    constexpr BackendRegistration name{                                                   \
        .id = its_id, .factory = make, .supported_ops = supported_ops, .tags = its_tags}; \
    constexpr BackendCapability name##_runs{.id = its_id, .dispatches = true};            \
    MUSTER_SUBMIT(name);                                                                  \
    MUSTER_SUBMIT(name##_runs)
