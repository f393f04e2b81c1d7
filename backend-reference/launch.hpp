// launch.hpp - one launch of the interpreter, for the device's queue.
#pragma once

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/work_queue.hpp>

namespace muster::reference {

/// What a launch does, with all that it needs of its arguments. A stop ends it within milliseconds.
WorkQueue::Work work_of(const Launch& launch);

}  // namespace muster::reference
