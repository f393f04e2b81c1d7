// driver/proving/ of programs that link muster::runtime: there are neither kernels in WGSL nor an interpreter
// to compare with, so devices aren't checked.
#include <muster/driver/proving/check_device.hpp>

namespace muster {

std::shared_ptr<const DeviceChecker> process_device_checker() { return nullptr; }

}  // namespace muster
