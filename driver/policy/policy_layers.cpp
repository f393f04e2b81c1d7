#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/policy_fields.hpp>
#include <muster/driver/policy/policy_layers.hpp>

namespace muster {
namespace {

using Text = std::optional<std::string>;

std::string text_of(const std::string& text) { return text; }
std::string text_of(bool is_so) { return is_so ? "yes" : "no"; }
std::string text_of(std::uint32_t number) { return fmt::format("{}", number); }
std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string text_of(std::chrono::nanoseconds budget) { return compile_budget_text(budget); }
std::string text_of(DeviceClass kind) { return std::string(name(kind)); }
std::string text_of(OnFailure what) { return std::string(name(what)); }
std::string text_of(Optimize when) { return std::string(name(when)); }
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

/// Exclusions, which don't override one another; every other field is decided by the
/// highest layer that sets it.
template <class Field>
constexpr bool is_exclusion =
    std::is_same_v<std::remove_cvref_t<std::invoke_result_t<Field, const Policy&>>, std::vector<std::string>>;

/// Finds the layer that decided a field, and the layers that it overrides.
template <class Field>
PolicySetting decided(std::string_view name, Field field, std::span<const NamedPolicy> layers,
                      const Policy& merged) {
    PolicySetting setting{.name = std::string(name)};
    for (const NamedPolicy& layer : layers) {
        const Text text = text_of(field(layer.policy));
        if (!text) continue;
        if (setting.from.empty() && text == text_of(field(merged))) {
            setting.value = *text;
            setting.from = layer.from;
        } else {
            setting.over.push_back(layer.from);
        }
    }
    return setting;
}

/// Adds the exclusions of every layer.
void add_exclusions(std::vector<PolicySetting>& to, std::span<const NamedPolicy> layers) {
    for (const NamedPolicy& layer : layers) {
        policy::for_each_field([&]<class Field>(std::string_view name, Field field) {
            if constexpr (is_exclusion<Field>) {
                if (!field(layer.policy).empty())
                    to.push_back({std::string(name), text_of(field(layer.policy)), layer.from, {}});
            }
        });
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
    policy::for_each_field([&]<class Field>(std::string_view name, Field field) {
        if constexpr (!is_exclusion<Field>) {
            PolicySetting setting = decided(name, field, layers, result.policy);
            if (!setting.from.empty())
                result.settings.push_back(std::move(setting));
            else
                unheard.insert(unheard.end(), setting.over.begin(), setting.over.end());
        }
    });
    for (PolicySetting& setting : result.settings)
        if (!unheard.empty() &&
            (setting.name == "backends" || (setting.name == "choice" && pinned(result.policy))))
            setting.over.insert(setting.over.end(), unheard.begin(), unheard.end());
    add_exclusions(result.settings, layers);
    return result;
}

}  // namespace muster
