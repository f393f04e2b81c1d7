#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include <muster/driver/contract/check.hpp>

namespace muster {
namespace {

struct Plant {
    std::atomic<bool> active{false};
    std::mutex mutex;
    FaultPlan plan;
};
Plant& plant() {
    static auto* const shared = new Plant;
    return *shared;
}

}  // namespace

PlantedFaults::PlantedFaults(FaultPlan plan) {
    const std::lock_guard lock(plant().mutex);
    plant().plan = std::move(plan);
    plant().active.store(true, std::memory_order_relaxed);
}

PlantedFaults::~PlantedFaults() {
    const std::lock_guard lock(plant().mutex);
    plant().plan = nullptr;
    plant().active.store(false, std::memory_order_relaxed);
}

std::optional<Error> planted_fault(std::string_view call) {
    if (!plant().active.load(std::memory_order_relaxed)) return std::nullopt;
    const std::lock_guard lock(plant().mutex);
    return plant().plan ? plant().plan(call) : std::nullopt;
}

Error native_error(std::string_view api, std::span<const NativeCode> rows, std::int64_t code,
                   std::string_view type, std::string_view fix) {
    for (const NativeCode& row : rows)
        if (row.code == code)
            return Error{row.means, fmt::format("{} says: {}.", api, row.name), row.fix, {}};
    return Error{ErrorCode::internal, fmt::format("{} says: {} {}.", api, type, code), std::string(fix), {}};
}

std::optional<Error> errno_error(int code) {
    if (code == 0) return std::nullopt;
    const bool lacks_memory = code == ENOMEM;
    return Error{lacks_memory ? ErrorCode::out_of_memory : ErrorCode::internal,
                 std::string("The system says: ") + std::strerror(code) + ".",
                 lacks_memory ? "use less memory at once" : "",
                 {}};
}

}  // namespace muster
