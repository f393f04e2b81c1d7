// driver/proving/ of programs that link muster::runtime: there are neither kernels in WGSL nor an interpreter
// to compare with, so devices aren't checked. Nor is there a backend but the CPU's, which nothing could postpone.
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/proving/kept_probes.hpp>

namespace muster::proving {

std::shared_ptr<const DeviceChecker> process_device_checker() { return nullptr; }
std::shared_ptr<const probing::KeptProbes> process_kept_probes() { return nullptr; }

}  // namespace muster::proving
