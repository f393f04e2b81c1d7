#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/policy_layers.hpp>

namespace muster {
namespace {

using Text = std::optional<std::string>;

std::string text_of(bool is_so) { return is_so ? "yes" : "no"; }
std::string text_of(std::uint32_t number) { return fmt::format("{}", number); }
std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string text_of(std::chrono::nanoseconds budget) { return compile_budget_text(budget); }
std::string text_of(DeviceClass kind) { return std::string(name(kind)); }
std::string text_of(OnFailure what) { return std::string(name(what)); }
std::string text_of(Validation validation) { return std::string(name(validation)); }
std::string text_of(const std::vector<std::string>& list) {
    return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ", "));
}
std::string text_of(const Choice& choice) {
    struct Say {
        std::string operator()(const Ranked&) const { return "ranked"; }
        std::string operator()(const OnlyOne&) const { return "only one"; }
        std::string operator()(const Measured&) const { return "measured"; }
        std::string operator()(const Pinned& pin) const { return "pinned to " + pin.to; }
    };
    return std::visit(Say{}, choice);
}
template <class T>
Text text_of(const std::optional<T>& value) {
    return value ? Text(text_of(*value)) : std::nullopt;
}

/// A field of Policy that is decided by the highest layer that sets it.
struct Field {
    std::string_view name;
    Text (*text)(const Policy&);
};
constexpr std::array fields{
    Field{"choice", [](const Policy& p) { return text_of(p.choice); }},
    Field{"backends", [](const Policy& p) { return text_of(p.backends); }},
    Field{"require_tags", [](const Policy& p) { return text_of(p.require_tags); }},
    Field{"allow_tags", [](const Policy& p) { return text_of(p.allow_tags); }},
    Field{"kind", [](const Policy& p) { return text_of(p.kind); }},
    Field{"min_memory_bytes", [](const Policy& p) { return text_of(p.min_memory_bytes); }},
    Field{"require_features", [](const Policy& p) { return text_of(p.require_features); }},
    Field{"subgroup_size", [](const Policy& p) { return text_of(p.subgroup_size); }},
    Field{"inexact_ok", [](const Policy& p) { return text_of(p.inexact_ok); }},
    Field{"allow_emission", [](const Policy& p) { return text_of(p.allow_emission); }},
    Field{"compile_budget", [](const Policy& p) { return text_of(p.compile_budget); }},
    Field{"on_failure", [](const Policy& p) { return text_of(p.on_failure); }},
    Field{"validate", [](const Policy& p) { return text_of(p.validate); }},
    Field{"check_devices", [](const Policy& p) { return text_of(p.check_devices); }},
    Field{"pack", [](const Policy& p) { return p.pack; }},
};

/// Finds the layer that decided a field, and the layers that it overrides.
PolicySetting decided(const Field& field, std::span<const NamedPolicy> layers, const Policy& merged) {
    PolicySetting setting{.name = std::string(field.name)};
    for (const NamedPolicy& layer : layers) {
        const Text text = field.text(layer.policy);
        if (!text) continue;
        if (setting.from.empty() && text == field.text(merged)) {
            setting.value = *text;
            setting.from = layer.from;
        } else {
            setting.over.push_back(layer.from);
        }
    }
    return setting;
}

/// Adds the exclusions of every layer: they don't override one another.
void add_exclusions(std::vector<PolicySetting>& to, std::span<const NamedPolicy> layers) {
    for (const NamedPolicy& layer : layers) {
        if (!layer.policy.exclude.empty())
            to.push_back({"exclude", text_of(layer.policy.exclude), layer.from, {}});
        if (!layer.policy.exclude_tags.empty())
            to.push_back({"exclude_tags", text_of(layer.policy.exclude_tags), layer.from, {}});
    }
}

}  // namespace

std::string PolicySetting::to_string() const {
    return fmt::format("{}: {} (from {}{}{})", name, value, from, over.empty() ? "" : ", over ",
                       fmt::join(over, " and "));
}

PolicyInForce in_force(std::span<const NamedPolicy> layers) {
    PolicyInForce result;
    for (const NamedPolicy& one : layers) result.policy = layer(std::move(result.policy), one.policy);
    // Layers with a list that a pin overrides, or with a pin that a list overrides.
    std::vector<std::string> unheard;
    for (const Field& field : fields) {
        PolicySetting setting = decided(field, layers, result.policy);
        if (!setting.from.empty())
            result.settings.push_back(std::move(setting));
        else
            unheard.insert(unheard.end(), setting.over.begin(), setting.over.end());
    }
    for (PolicySetting& setting : result.settings)
        if (!unheard.empty() &&
            (setting.name == "backends" || (setting.name == "choice" && pinned(result.policy))))
            setting.over.insert(setting.over.end(), unheard.begin(), unheard.end());
    add_exclusions(result.settings, layers);
    return result;
}

}  // namespace muster
