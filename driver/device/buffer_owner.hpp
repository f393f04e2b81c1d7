// buffer_owner.hpp - ties the life of memory to that of a buffer over it.
//
//     Buffer buffer = TRY(session.buffer_over(memory));
//     keep_owner(buffer, owner);        // before the first dispatch; destroyed once nothing needs the memory
//
// Buffer, tickets and sequences keep the owner; a quarantined device does for ever. The last of them may be a
// ticket that muster's own thread settles, so the owner is destroyed on any thread. Threads: any.
#pragma once

#include <memory>

#include <muster/driver/device/buffer.hpp>

namespace muster {

void keep_owner(const Buffer& buffer, std::shared_ptr<const void> owner);

}  // namespace muster
