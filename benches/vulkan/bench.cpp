#include "bench.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>

#include <muster/driver/backend.hpp>
#include <muster/driver/fleet.hpp>

namespace muster::bench {
namespace {

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
    return must(Session::open(
        {.policy = {.backends = {{fmt::format("vulkan:{}", ordinal)}}}, .use_environment = false}));
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
