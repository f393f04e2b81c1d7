#include <array>
#include <charconv>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/routing/roof.hpp>
#include <muster/driver/support/fork_ranks.hpp>

namespace muster {
namespace {

struct Figure {
    std::string_view name;
    double Roof::*value;
};
constexpr std::array figures{
    Figure{"copy_gb_s", &Roof::copy_gb_s},
    Figure{"update_gb_s", &Roof::update_gb_s},
    Figure{"read_gb_s", &Roof::read_gb_s},
    Figure{"multiply_add_gflop_s", &Roof::multiply_add_gflop_s},
    Figure{"lone_gflop_s", &Roof::lone_gflop_s},
    Figure{"arrivals_g_s", &Roof::arrivals_g_s},
    Figure{"launch_us", &Roof::launch_us},
    Figure{"to_device_gb_s", &Roof::to_device_gb_s},
    Figure{"from_device_gb_s", &Roof::from_device_gb_s},
    Figure{"typical_share", &Roof::typical_share},
};

std::string text_of(const Roof& roof) {
    std::string text;
    for (const Figure& figure : figures) text += fmt::format("{} {}\n", figure.name, roof.*figure.value);
    return text;
}

/// None if the text isn't one that text_of() writes.
std::optional<Roof> parse(std::string_view text) {
    Roof roof;
    for (const Figure& figure : figures) {
        const std::size_t end = text.find('\n');
        if (end == text.npos || !text.starts_with(figure.name)) return std::nullopt;
        const std::string_view number = text.substr(0, end).substr(figure.name.size() + 1);
        const auto read = std::from_chars(number.data(), number.data() + number.size(), roof.*figure.value);
        if (read.ec != std::errc() || read.ptr != number.data() + number.size() || roof.*figure.value < 0)
            return std::nullopt;
        text.remove_prefix(end + 1);
    }
    if (!roof.is_whole()) return std::nullopt;
    return roof;
}

/// The subject that a roof is kept under, and the circumstances that it depends on.
struct RoofKey {
    std::string subject, circumstances;
    RoofKey(std::string_view backend, const DeviceInfo& device, Precision precision)
        : subject(fmt::format("roof of {} in {} mode", device_id(backend, device), name(precision))),
          circumstances(
              fmt::format("{}\n{}\n{}\n{}", device.name, device.driver, device.arch, device.memory_bytes)) {}
    std::string key() const { return subject + "\n" + circumstances; }
};

struct KeptRoofs {
    ForkSafeMutex mutex{fork_rank_of_roofs};
    std::map<std::string, std::optional<Roof>> roofs;
};
KeptRoofs& known() {
    static auto* const shared = new KeptRoofs;  // devices may be used after main
    return *shared;
}

}  // namespace

bool Roof::is_whole() const {
    return bandwidth_gb_s() > 0 && multiply_add_gflop_s > 0 && launch_us > 0 && to_device_gb_s > 0 &&
           from_device_gb_s > 0 && typical_share > 0;
}

void keep_roof(std::string_view backend, const DeviceInfo& device, Precision precision, const Roof& roof) {
    const RoofKey kept_as(backend, device, precision);
    if (!roof.is_whole()) return;
    keep_roof(Verdicts::process(), backend, device, precision, roof);
    const std::lock_guard lock(known().mutex);
    known().roofs.insert_or_assign(kept_as.key(), roof);
}

std::optional<Roof> kept_roof(std::string_view backend, const DeviceInfo& device, Precision precision) {
    const RoofKey kept_as(backend, device, precision);
    const std::lock_guard lock(known().mutex);
    if (const auto found = known().roofs.find(kept_as.key()); found != known().roofs.end())
        return found->second;
    return known()
        .roofs.emplace(kept_as.key(), kept_roof(Verdicts::process(), backend, device, precision))
        .first->second;
}

void keep_roof(const Verdicts& in, std::string_view backend, const DeviceInfo& device, Precision precision,
               const Roof& roof) {
    const RoofKey kept_as(backend, device, precision);
    in.keep(kept_as.subject, kept_as.circumstances, text_of(roof));
}

std::optional<Roof> kept_roof(const Verdicts& in, std::string_view backend, const DeviceInfo& device,
                              Precision precision) {
    const RoofKey kept_as(backend, device, precision);
    const auto text = in.find(kept_as.subject, kept_as.circumstances);
    return text ? parse(*text) : std::nullopt;
}

}  // namespace muster
