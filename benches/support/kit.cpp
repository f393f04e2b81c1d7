#include "kit.hpp"

#include <charconv>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/process/process_fleet.hpp>

namespace muster::bench {

DeviceInfo choose_device(const std::string& backend, const std::string& wanted) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    const auto which = fleet->find(backend);
    if (!which) {
        fmt::print(stderr, "The backend {} isn't linked.\n", backend);
        std::exit(1);
    }
    const ProbeResult& probe = fleet->probe(*which);
    if (probe.state != ProbeState::answered) {
        fmt::print(stderr, "{}\n", probe.error.to_string());
        std::exit(1);
    }
    std::uint32_t ordinal = UINT32_MAX;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), ordinal);
    const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
    for (const DeviceInfo& device : probe.devices)
        if (is_number ? device.ordinal == ordinal : device.name.find(wanted) != std::string::npos)
            return device;
    fmt::print(stderr, "{} has no device \"{}\". There are:\n", backend, wanted);
    for (const DeviceInfo& device : probe.devices)
        fmt::print(stderr, "  {}  {}\n", device.ordinal, device.name);
    std::exit(2);
}

Session open_session(const std::string& backend, std::uint32_t ordinal) {
    return must(Session::open(
        {.policy = {.backends = {{fmt::format("{}:{}", backend, ordinal)}}, .optimize = Optimize::first},
         .use_environment = false}));
}

Words words(const Buffer& from) {
    Words all(from.bytes() / sizeof(std::uint32_t));
    must(from.read_bytes(std::as_writable_bytes(std::span(all)), 0));
    return all;
}

Contender ours(const std::function<void()>& run, const Buffer& out, const Words& start) {
    return {"muster", run, [run, out = Buffer(out), start]() mutable {
                must(out.write_bytes(std::as_bytes(std::span(start))));
                run();
                return words(out);
            }};
}

}  // namespace muster::bench
