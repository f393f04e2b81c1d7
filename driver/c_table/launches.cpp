#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include <muster/driver/c_table/launches.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c_table {
TableMemory::~TableMemory() {
    if (host != nullptr) {
        if (!is_wrapped) std::free(host);
    } else {
        table.free(device, handle);
    }
}

Arguments::Arguments(const Launch& launch) {
    const auto& executable = static_cast<const TableExecutable&>(*launch.executable);
    const std::size_t count = launch.bindings.size();
    values_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const BoundMemory& bound = launch.bindings[i];
        muster_backend_argument argument{
            .memory = nullptr, .offset = bound.offset, .bytes = bound.bytes, .value = nullptr};
        void* address = nullptr;
        if (bound.memory != nullptr) {
            const auto& memory = static_cast<const TableMemory&>(*bound.memory);
            argument.memory = memory.handle;
            if (memory.host != nullptr) address = memory.host + bound.offset;
        } else {
            std::vector<Block>& copy =
                values_.emplace_back((bound.bytes + sizeof(Block) - 1) / sizeof(Block));
            std::memcpy(copy.data(), bound.value, bound.bytes);
            argument.value = address = copy.data();
        }
        arguments_.push_back(argument);
        addresses_.push_back(address);
        const RuntimeArray array = i < executable.arrays.size() ? executable.arrays[i] : RuntimeArray{};
        const std::uint64_t length = array.stride == 0 ? 0 : array.length(bound.bytes);
        lengths_.push_back(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(length, std::numeric_limits<std::uint32_t>::max())));
    }
    const auto set = [](std::uint32_t(&to)[3], const Extent3& from) {
        to[0] = from.x;
        to[1] = from.y;
        to[2] = from.z;
    };
    given_.struct_size = sizeof given_;
    given_.argument_count = static_cast<std::uint32_t>(count);
    given_.executable = executable.handle;
    given_.arguments = arguments_.data();
    given_.addresses = addresses_.data();
    given_.lengths = lengths_.data();
    set(given_.origin, launch.origin);
    set(given_.extent, launch.extent);
    set(given_.grid, launch.grid);
}

namespace {

Result<void> call_launch(const Table& table, void* device, const Arguments& arguments, void** submission) {
    return call("launch", [&](muster_backend_error* error) {
        return table.launch(device, &arguments.given(), submission, error);
    });
}

}  // namespace

Result<void> launch(const Table& table, void* device, const Arguments& arguments) {
    void* ignored = nullptr;
    return call_launch(table, device, arguments, &ignored);
}

namespace {

/// A launch that the backend runs, and that wait() waits for.
class BackendSubmission final : public Submission {
  public:
    BackendSubmission(const Table& table, void* device, std::shared_ptr<const Arguments> arguments)
        : table_(table), device_(device), arguments_(std::move(arguments)) {}

    Result<void> submit() { return call_launch(table_, device_, *arguments_, &handle_); }

    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        constexpr std::chrono::nanoseconds at_a_time = std::chrono::milliseconds(1);
        const auto most = std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(1));
        const auto end = std::chrono::steady_clock::now() + most;
        for (;;) {
            const std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
            {
                const std::lock_guard lock(mutex_);
                ask(std::clamp(left, std::chrono::nanoseconds(0), at_a_time));
            }
            if (outcome_.settled()) return outcome_.get();
            if (left <= std::chrono::nanoseconds(0))
                return fail(ErrorCode::timed_out, "The launch still runs.");
        }
    }
    bool done() const override {
        if (outcome_.settled()) return true;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock.owns_lock()) ask(std::chrono::nanoseconds(0));
        return outcome_.settled();
    }

  private:
    /// The caller holds `mutex_`.
    void ask(std::chrono::nanoseconds timeout) const {
        if (outcome_.settled()) return;
        constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t took = unknown;
        const auto status = call_for_status("wait", true, [&](muster_backend_error* error) {
            return table_.wait(device_, handle_, static_cast<std::uint64_t>(timeout.count()), &took, error);
        });
        if (status && *status == MUSTER_BACKEND_NONE) return;
        if (!status)
            outcome_.settle(std::unexpected(status.error()));
        else
            outcome_.settle(took == unknown ? Timing{} : Timing{.device_ns = took});
    }

    const Table& table_;
    void* const device_;
    const std::shared_ptr<const Arguments> arguments_;
    void* handle_ = nullptr;
    mutable std::mutex mutex_;
    mutable SubmissionOutcome outcome_;
};

}  // namespace

Result<Submitted> submit_to_backend(const Table& table, void* device,
                                    std::shared_ptr<const Arguments> arguments) {
    auto submission = std::make_shared<BackendSubmission>(table, device, std::move(arguments));
    TRY(submission->submit());
    return submission;
}

}  // namespace muster::c_table
