#include <map>
#include <mutex>

#include <fmt/format.h>

#include <muster/webgpu/memory.hpp>

namespace muster::webgpu {
namespace {

struct Pools {
    std::mutex mutex;
    std::map<std::string, std::uint64_t, std::less<>> used;  // bytes
};

Pools& pools() {
    static auto* const all = new Pools;  // never destroyed: buffers may outlive static objects
    return *all;
}

}  // namespace

bool shares_host_memory(const DeviceInfo& device) {
    return device.kind == DeviceKind::cpu || device.kind == DeviceKind::integrated_gpu ||
           device.software_emulated;
}

Result<MemoryCharge> MemoryCharge::take(const Adapter& adapter, std::uint64_t bytes) {
    const DeviceInfo& device = adapter.chosen.device;
    const std::uint64_t most = device.memory_bytes;
    if (most == 0) return MemoryCharge();  // unknown
    std::string pool = shares_host_memory(device) ? "host" : adapter.id();
    const std::lock_guard lock(pools().mutex);
    std::uint64_t& used = pools().used[pool];
    if (used > most || bytes > most - used)
        return fail(ErrorCode::out_of_memory,
                    fmt::format("A buffer of {} bytes and the {} of those that are there exceed the {} bytes "
                                "of memory that {} has.",
                                bytes, used, most, adapter.id()),
                    "use smaller buffers, or destroy some (wgpuBufferDestroy)");
    used += bytes;
    return MemoryCharge(std::move(pool), bytes);
}

MemoryCharge::~MemoryCharge() {
    if (bytes_ == 0) return;
    const std::lock_guard lock(pools().mutex);
    const auto pool = pools().used.find(pool_);
    pool->second -= bytes_;
    if (pool->second == 0) pools().used.erase(pool);
}

}  // namespace muster::webgpu
