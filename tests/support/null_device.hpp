// null_device.hpp - a backend whose device runs nothing, to count or measure the driver alone. Its work ends
// within submit(), when it is waited for, or when a test ends it.
//
//     auto work = std::make_shared<NullWork>();                 // null: ends within submit()
//     Session session = null_session(work);
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <support/doubles.hpp>

#include <muster/driver/session/session.hpp>

namespace muster::test {

/// A single submission for all of a device's work, so that submissions cost no allocation.
struct NullWork final : Submission {
    bool until_told = false;  // else it ends when it is waited for
    std::atomic<bool> ended{false};

    Result<Timing> wait(std::chrono::nanoseconds) override {
        if (!until_told) ended.store(true, std::memory_order_release);
        if (!done()) return fail(ErrorCode::timed_out, "The null device waits to be told.");
        return Timing{0};
    }
    bool done() const override { return ended.load(std::memory_order_acquire); }
};

class NullDevice final : public Device {
  public:
    NullDevice(std::shared_ptr<NullWork> work, std::uint32_t ordinal)
        : info_(fit_device(ordinal)), work_(std::move(work)) {}
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram&, const CompileOptions&) override { return Artifact{}; }
    Result<std::unique_ptr<Executable>> load(const Artifact&) override {
        return std::make_unique<Executable>();
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        auto memory = std::make_unique<DoubleMemory>();
        memory->data.resize(bytes);
        return memory;
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        std::memcpy(static_cast<DoubleMemory&>(memory).data.data() + offset, from.data(), from.size());
        return {};
    }
    Result<void> read(const Memory&, std::uint64_t, std::span<std::byte>) override { return {}; }
    Result<Submitted> submit(const Launch&) override {
        if (!work_) return Timing{0};
        work_->ended.store(false, std::memory_order_release);
        return work_;
    }
    void abandon() override {}

  private:
    DeviceInfo info_;
    std::shared_ptr<NullWork> work_;
};

class NullBackend final : public Backend {
  public:
    NullBackend(std::shared_ptr<NullWork> work, std::uint32_t devices)
        : work_(std::move(work)), devices_(devices) {}
    std::string_view id() const override { return "null"; }
    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> all;
        for (std::uint32_t i = 0; i < devices_; ++i) all.push_back(fit_device(i));
        return all;
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        return std::make_unique<NullDevice>(work_, ordinal);
    }
    std::string default_arch() const override { return "none"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override {
        return fail(ErrorCode::not_found, "The null device has no targets.");
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "The null device emits nothing.");
    }

  private:
    std::shared_ptr<NullWork> work_;
    std::uint32_t devices_;
};

inline Session null_session(std::shared_ptr<NullWork> work, Policy policy = {}, std::uint32_t devices = 1) {
    FleetEntry entry{.id = "null",
                     .rank = 1,
                     .dispatches = true,
                     .tags = {},
                     .supported_ops = OpSet::all_exact(),
                     .factory = [work = std::move(work), devices]() -> Result<std::unique_ptr<Backend>> {
                         return std::make_unique<NullBackend>(work, devices);
                     },
                     .fault = {}};
    return *Session::open({.policy = std::move(policy),
                           .fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}),
                           .use_environment = false});
}

}  // namespace muster::test
