#include "bench.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>

#include <muster/driver/backend.hpp>
#include <muster/driver/fleet.hpp>

namespace muster::bench {
namespace {

/// A backend's one device, as its only one.
class OnlyDevice final : public Backend {
  public:
    OnlyDevice(std::unique_ptr<Backend> backend, std::uint32_t ordinal)
        : backend_(std::move(backend)), ordinal_(ordinal) {}
    std::string_view id() const override { return backend_->id(); }
    Result<std::vector<DeviceInfo>> probe() override {
        auto all = backend_->probe();
        if (!all || ordinal_ >= all->size()) return all;
        DeviceInfo only = (*all)[ordinal_];
        only.ordinal = 0;
        return std::vector{only};
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override { return backend_->open(ordinal_); }
    std::string default_arch() const override { return backend_->default_arch(); }
    std::span<const std::string> formats() const override { return backend_->formats(); }
    std::span<const SpecInfo> specs() const override { return backend_->specs(); }
    Result<Target> describe(std::string_view arch) override { return backend_->describe(arch); }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        return backend_->emit(program, target, request);
    }

  private:
    std::unique_ptr<Backend> backend_;
    std::uint32_t ordinal_;
};

std::string read_text(const std::string& path) {
    std::ifstream file(MUSTER_SOURCE_DIR "/" + path);
    if (!file) {
        fmt::print(stderr, "{} can't be read.\n", path);
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

// The registered backend.
FleetEntry vulkan() {
    const std::shared_ptr<Fleet> all = Fleet::process();
    for (std::size_t i = 0; i < all->size(); ++i)
        if (all->entry(i).id == "vulkan") return all->entry(i);
    fmt::print(stderr, "The Vulkan backend isn't linked.\n");
    std::exit(1);
}

}  // namespace

DeviceInfo choose_device(const std::string& wanted) {
    const std::vector<DeviceInfo> all = must(must(vulkan().factory())->probe());
    std::uint32_t ordinal = UINT32_MAX;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), ordinal);
    const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
    for (const DeviceInfo& device : all)
        if (is_number ? device.ordinal == ordinal : device.name.find(wanted) != std::string::npos)
            return device;
    fmt::print(stderr, "There is no Vulkan device \"{}\". There are:\n", wanted);
    for (const DeviceInfo& device : all) fmt::print(stderr, "  {}  {}\n", device.ordinal, device.name);
    std::exit(2);
}

Session open_session(std::uint32_t ordinal) {
    FleetEntry entry = vulkan();
    entry.factory = [factory = entry.factory, ordinal]() -> Result<std::unique_ptr<Backend>> {
        auto backend = factory();
        if (!backend) return backend;
        return std::make_unique<OnlyDevice>(*std::move(backend), ordinal);
    };
    return must(Session::open(
        {.fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}), .use_environment = false}));
}

Kernel prepare(Session& session, const std::string& text, Precision precision,
               std::vector<wgsl::OverrideValue> overrides) {
    const ValidProgram program = must(validate(must(wgsl::parse(text, {.overrides = std::move(overrides)}))));
    return must(session.prepare(program, {.precision = precision}));
}

Kernel Bench::kernel(const std::string& path, std::vector<wgsl::OverrideValue> overrides) {
    return prepare(session, read_text(path), precision, std::move(overrides));
}

Words words(const Buffer& from) { return must(from.read_all<std::uint32_t>()); }

void Bench::add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                    const std::function<std::vector<RawPass>(Access)>& make) const {
    for (const Access access : {Access::guarded, Access::plain}) {
        const RawCommands commands = raw.record(make(access));
        const auto run = [this, commands] { raw.run(commands); };
        contest.contenders.push_back({access == Access::guarded ? "guarded" : "plain", run, [=, this] {
                                          raw.write(out, std::as_bytes(std::span(start)));
                                          run();
                                          return words(out);
                                      }});
    }
}

}  // namespace muster::bench
