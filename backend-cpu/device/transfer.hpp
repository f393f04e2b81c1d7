// transfer.hpp - copies and fills, which the queue runs like kernels: spread over the cores, the
// smallest within submit().
#pragma once

#include <muster/backend-cpu/device/launch.hpp>

namespace muster::cpu {

Result<Submitted> submit_transfer(Queue& queue, const MemoryTransfer& transfer);

}  // namespace muster::cpu
