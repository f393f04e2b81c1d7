#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/guard.hpp>
#include <muster/driver/records.hpp>
#include <muster/driver/session_fleet.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

/// One backend for whoever constructs it, so that the fleet, which owns what it makes, can have an object of somebody's.
class Shared final : public Backend {
  public:
    explicit Shared(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}
    std::string_view id() const override { return backend_->id(); }
    Result<std::vector<DeviceInfo>> probe() override { return backend_->probe(); }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override { return backend_->open(ordinal); }
    std::string default_arch() const override { return backend_->default_arch(); }
    std::span<const std::string> formats() const override { return backend_->formats(); }
    std::span<const SpecInfo> specs() const override { return backend_->specs(); }
    Result<Target> describe(std::string_view arch) override { return backend_->describe(arch); }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        return backend_->emit(program, target, request);
    }

  private:
    std::shared_ptr<Backend> backend_;
};

Result<FleetEntry> entry_of(SessionBackend from) {
    if (!from.backend)
        return fail(ErrorCode::invalid_argument, "A backend for the session is null.",
                    "give an object, or none");
    FleetEntry entry;
    entry.id =
        TRY(guarded("Backend::id", [&]() -> Result<std::string> { return std::string(from.backend->id()); }));
    if (!valid_id(entry.id))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A backend for the session says that its id is \"{}\", which can't be one.",
                                entry.id),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    entry.rank = from.rank;
    entry.dispatches = from.dispatches;
    entry.tags = std::move(from.tags);
    entry.supported_ops = std::move(from.supported_ops);
    entry.factory = [backend = std::move(from.backend)]() -> Result<std::unique_ptr<Backend>> {
        return std::make_unique<Shared>(backend);
    };
    return entry;
}

}  // namespace

Result<std::shared_ptr<Fleet>> with_backends(const std::shared_ptr<Fleet>& fleet,
                                             std::vector<SessionBackend> backends) {
    if (backends.empty()) return fleet;
    std::vector<FleetEntry> entries;
    for (std::size_t i = 0; i < fleet->size(); ++i) entries.push_back(fleet->entry(i));
    for (SessionBackend& one : backends) {
        FleetEntry entry = TRY(entry_of(std::move(one)));
        for (const FleetEntry& other : entries)
            if (other.id == entry.id)
                return fail(ErrorCode::conflict,
                            fmt::format("A backend for the session is called \"{}\", like one that there is.",
                                        entry.id),
                            "give it an id of its own");
        entries.push_back(std::move(entry));
    }
    return std::make_shared<Fleet>(std::move(entries), *fleet);
}

}  // namespace muster
