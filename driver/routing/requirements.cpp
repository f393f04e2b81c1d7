#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/routing/requirements.hpp>

namespace muster::routing {
namespace {

std::string_view phrase(DeviceClass kind) {
    switch (kind) {
        case DeviceClass::any: return "any device";
        case DeviceClass::gpu: return "a GPU";
        case DeviceClass::discrete: return "a discrete GPU";
        case DeviceClass::integrated: return "an integrated GPU";
        case DeviceClass::cpu: return "a CPU";
    }
    return "a device";
}

std::string what_it_is(const DeviceInfo& device) {
    if (device.software_emulated) return "is emulated in software";
    return fmt::format("is of kind \"{}\"", name(device.kind));
}
std::string what_it_is(const Target& target) { return fmt::format("is of kind \"{}\"", name(target.kind)); }

}  // namespace

bool is_of(DeviceClass kind, const DeviceInfo& device) {
    const bool is_cpu = device.software_emulated || device.kind == DeviceKind::cpu;
    switch (kind) {
        case DeviceClass::any: return true;
        case DeviceClass::gpu:
            return !is_cpu && device.kind != DeviceKind::other;  // other: not known to be a GPU
        case DeviceClass::discrete: return !is_cpu && device.kind == DeviceKind::discrete_gpu;
        case DeviceClass::integrated: return !is_cpu && device.kind == DeviceKind::integrated_gpu;
        case DeviceClass::cpu: return is_cpu;
    }
    return false;
}

bool is_of(DeviceClass kind, const Target& target) {
    if (kind == DeviceClass::any) return true;
    return (target.kind == DeviceKind::cpu) == (kind == DeviceClass::cpu);
}

std::optional<ForbiddingTag> forbidding_tag(const Policy& policy, std::span<const std::string> tags) {
    const auto has = [&](const std::string& tag) { return std::ranges::find(tags, tag) != tags.end(); };
    for (const std::string& tag : policy.exclude_tags)
        if (has(tag)) return ForbiddingTag{tag, true};
    if (policy.require_tags)
        for (const std::string& tag : *policy.require_tags)
            if (!has(tag)) return ForbiddingTag{tag, false};
    return std::nullopt;
}

Requirements::Requirements(const Policy& policy)
    : kind_(policy.kind.value_or(DeviceClass::any)), min_memory_bytes_(policy.min_memory_bytes.value_or(0)) {
    if (!policy.require_features) return;
    for (const std::string& text : *policy.require_features)
        features_.push_back(Feature::parse(text).value_or(Feature{Feature::Extension{text}}));
}

template <class Holder>
std::optional<Misfit> Requirements::unmet_kind(const Holder& holder, std::string_view who) const {
    if (is_of(kind_, holder)) return std::nullopt;
    return Misfit{
        Reason::kind_not_allowed,
        fmt::format("The policy asks for {}; {} {}.", phrase(kind_), who, what_it_is(holder)),
        fmt::format("ask for another kind than \"{}\" (Policy::kind, --kind), or for none", name(kind_)),
        {}};
}

template <class Holder>
std::optional<Misfit> Requirements::missing_feature(const Holder& holder, std::string_view who) const {
    for (const Feature& feature : features_)
        if (!feature.is_in(holder))
            return Misfit{
                Reason::feature_missing,
                fmt::format("{} doesn't have {}, which the policy requires.", who, feature.to_string()),
                "use another device, or take it off the requirements (Policy::require_features, "
                "--require)",
                {}};
    return std::nullopt;
}

std::optional<Misfit> Requirements::unmet(const DeviceInfo& device, std::string_view who) const {
    if (auto no = unmet_kind(device, who)) return no;
    if (device.memory_bytes < min_memory_bytes_)
        return Misfit{
            Reason::memory_too_small,
            device.memory_bytes == 0
                ? fmt::format("{} doesn't say how much memory it has; the policy asks for {} bytes.", who,
                              min_memory_bytes_)
                : fmt::format("{} has {} bytes of memory, fewer than the {} that the policy asks for.", who,
                              device.memory_bytes, min_memory_bytes_),
            "use another device, or ask for less (Policy::min_memory_bytes, --min-memory)",
            {{"bytes of memory", min_memory_bytes_, device.memory_bytes}}};
    return missing_feature(device, who);
}

std::optional<Misfit> Requirements::unmet(const Target& target, std::string_view who) const {
    if (auto no = unmet_kind(target, who)) return no;
    return missing_feature(target, who);
}

}  // namespace muster::routing
