// slots.hpp - the parts of the table, each filled in by the source of its matter.
#pragma once

#include <muster/c/muster.h>

namespace muster::c {

void add_objects(muster_api& api);
void add_process(muster_api& api);
void add_programs(muster_api& api);
void add_sessions(muster_api& api);
void add_buffers(muster_api& api);
void add_dlpack(muster_api& api);
void add_dispatches(muster_api& api);
void add_sequences(muster_api& api);
void add_code(muster_api& api);
void add_models(muster_api& api);
void add_check(muster_api& api);

}  // namespace muster::c
