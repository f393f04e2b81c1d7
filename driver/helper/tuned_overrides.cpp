#include <fmt/format.h>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/helper/tuned_overrides.hpp>
#include <muster/driver/helper/verdicts.hpp>

namespace muster {
namespace {

struct OverridesKey {
    std::string subject, circumstances;
    OverridesKey(std::string_view text, std::string_view entry, std::string_view backend,
                 const DeviceInfo& device, Precision precision)
        : circumstances(fmt::format("{}\n{}\n{}", device.name, device.driver, device.arch)) {
        subject = fmt::format("overrides of {} in {} for {} in {} mode", entry, to_string(digest_of(text)),
                              device_id(backend, device), name(precision));
    }
};

}  // namespace

void keep_tuned_overrides(std::string_view text, std::string_view entry, std::string_view backend,
                          const DeviceInfo& device, Precision precision,
                          const std::vector<wgsl::OverrideValue>& overrides, const Verdicts& in) {
    const OverridesKey kept_as(text, entry, backend, device, precision);
    std::string lines;
    for (const wgsl::OverrideValue& each : overrides) lines += fmt::format("{}={}\n", each.name, each.text);
    in.keep(kept_as.subject, kept_as.circumstances, lines);
}

std::vector<wgsl::OverrideValue> tuned_overrides(std::string_view text, std::string_view entry,
                                                 std::string_view backend, const DeviceInfo& device,
                                                 Precision precision, const Verdicts& in) {
    const OverridesKey kept_as(text, entry, backend, device, precision);
    const auto kept = in.find(kept_as.subject, kept_as.circumstances);
    std::vector<wgsl::OverrideValue> overrides;
    std::string_view lines = kept ? std::string_view(*kept) : std::string_view();
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const std::size_t equals = line.find('=');
        if (equals == line.npos) return {};
        overrides.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return overrides;
}

}  // namespace muster
