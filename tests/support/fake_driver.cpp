#include <support/fake_driver_state.hpp>

namespace muster::test {

FakeDriver::FakeDriver() : state_(new State(*this)) {
    only = state_;
    state_->fill_devices();
    state_->fill_contexts();
    state_->fill_streams();
    state_->fill_memory();
    state_->fill_copies();
    state_->fill_modules();
    state_->worker = std::thread([this] { state_->work(); });
}

FakeDriver::~FakeDriver() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopped = true;
        state_->changed.notify_all();
    }
    state_->worker.join();
    only = nullptr;
    delete state_;
}

const cuda::DriverTable& FakeDriver::table() const { return state_->table; }

void FakeDriver::set_kernel(const std::string& name, FakeKernel kernel) {
    const std::lock_guard lock(state_->mutex);
    state_->kernels.insert_or_assign(name, std::move(kernel));
}

std::vector<std::string> FakeDriver::complaints() const {
    const std::lock_guard lock(state_->mutex);
    return state_->complaints;
}

std::size_t FakeDriver::alive() const {
    const std::lock_guard lock(state_->mutex);
    return state_->contexts.size() + state_->streams.size() + state_->events.size() + state_->modules.size() +
           state_->pools.size() + state_->device_memory.size() + state_->host_memory.size();
}

std::size_t FakeDriver::alive_contexts() const {
    const std::lock_guard lock(state_->mutex);
    return state_->contexts.size();
}

std::size_t FakeDriver::pushed() { return pushed_contexts.size(); }

bool FakeDriver::inside() { return is_inside; }

std::uint64_t FakeDriver::calls(const std::string& name) const {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->calls.find(name);
    return found == state_->calls.end() ? 0 : found->second;
}

std::uint64_t FakeDriver::device_bytes() const {
    const std::lock_guard lock(state_->mutex);
    return state_->used(nullptr);
}

void FakeDriver::break_contexts(CUresult how) {
    const std::lock_guard lock(state_->mutex);
    for (auto& [handle, context] : state_->contexts) context->broken = how;
    state_->changed.notify_all();
}

void FakeDriver::end_endless() {
    const std::lock_guard lock(state_->mutex);
    state_->endless_end = true;
    state_->changed.notify_all();
}

void FakeDriver::drain() { rest({}); }

void FakeDriver::rest(std::chrono::nanoseconds time) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] {
        return std::ranges::all_of(state_->streams, [](auto& one) { return one.second->operations.empty(); });
    });
    state_->time += time;
}

std::byte* FakeDriver::memory(CUdeviceptr address, std::uint64_t bytes) {
    const std::lock_guard lock(state_->mutex);
    Allocation* const found = state_->holding(state_->device_memory, address, bytes, "an access");
    if (!found) return nullptr;
    if (!found->ready) state_->complain("an access: before the stream has come to the allocation");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the device's memory is the host's
    return reinterpret_cast<std::byte*>(address);
}

std::span<std::byte> FakeDriver::pinned(std::size_t bytes) {
    const std::lock_guard lock(state_->mutex);
    Allocation allocation{nullptr, std::make_unique<std::byte[]>(bytes), bytes, true};
    std::byte* const at = allocation.data.get();
    state_->host_memory.emplace(reinterpret_cast<std::uintptr_t>(at), std::move(allocation));
    return {at, bytes};
}

}  // namespace muster::test
