#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <muster/driver/policy/feature.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {
namespace {

constexpr std::string_view subgroup_prefix = "subgroup:";

/// True if `holder`, a DeviceInfo or Target, has the feature.
template <class Holder>
bool has(const Feature& feature, const Holder& holder) {
    struct Ask {
        const Holder& holder;
        bool operator()(Scalar scalar) const { return contains(holder.scalars, scalar); }
        bool operator()(Op op) const { return holder.ops.contains(op); }
        bool operator()(const Feature::Extension& extension) const {
            return std::ranges::find(holder.ops.extensions, extension.id) != holder.ops.extensions.end();
        }
        bool operator()(const Feature::Subgroup& subgroup) const {
            return holder.subgroup_size >= subgroup.invocations;
        }
        bool operator()(const Feature::Exact&) const { return holder.exactness.exact(); }
    };
    return std::visit(Ask{holder}, feature.what);
}

template <class Holder>
std::vector<std::string> features_of(const Holder& holder) {
    std::vector<std::string> all;
    for (const ScalarInfo& scalar : scalars)
        if (contains(holder.scalars, scalar.scalar)) all.emplace_back(scalar.name);
    for (std::size_t i = 0; i < op_count; ++i)
        if (holder.ops.core.test(i) && info(static_cast<Op>(i)).group == OpGroup::math)
            all.emplace_back(info(static_cast<Op>(i)).name);
    all.insert(all.end(), holder.ops.extensions.begin(), holder.ops.extensions.end());
    all.push_back(fmt::format("{}{}", subgroup_prefix, holder.subgroup_size));
    if (holder.exactness.exact()) all.emplace_back("exact");
    return all;
}

std::optional<Scalar> scalar_by_name(std::string_view name) {
    for (const ScalarInfo& scalar : scalars)
        if (scalar.name == name) return scalar.scalar;
    return std::nullopt;
}

std::vector<std::string> known_names() {
    std::vector<std::string> names{"exact", std::string(subgroup_prefix) + "32"};
    for (const ScalarInfo& scalar : scalars) names.emplace_back(scalar.name);
    for (std::size_t i = 0; i < op_count; ++i)
        if (static_cast<Op>(i) != Op::extension) names.emplace_back(info(static_cast<Op>(i)).name);
    return names;
}

/// True for an extension's name, such as "muster.grid_barrier": words with dots between them.
bool is_extension(std::string_view text) {
    const auto dot = text.find('.');
    if (dot == 0 || dot == std::string_view::npos || text.back() == '.') return false;
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
}

}  // namespace

Result<Feature> Feature::parse(std::string_view text) {
    if (text == "exact") return Feature{Exact{}};
    if (const auto scalar = scalar_by_name(text)) return Feature{*scalar};
    if (const auto op = op_by_name(text); op && *op != Op::extension) return Feature{*op};
    if (text.starts_with(subgroup_prefix)) {
        const std::string_view digits = text.substr(subgroup_prefix.size());
        std::uint32_t invocations = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), invocations);
        if (error == std::errc() && end == digits.data() + digits.size() && invocations > 0)
            return Feature{Subgroup{invocations}};
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" in \"{}\" isn't a number of invocations.", printable(digits),
                                printable(text)),
                    "write the least size of a subgroup: subgroup:32");
    }
    if (is_extension(text)) return Feature{Extension{std::string(text)}};
    const std::vector<std::string> near = nearest(text, known_names());
    return fail(
        ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a feature.", printable(text)),
        near.empty()
            ? "name a type (f32), an operation (fma), an extension (muster.grid_barrier), subgroup:N or exact"
            : did_you_mean(text, near));
}

std::string Feature::to_string() const {
    struct Say {
        std::string operator()(Scalar scalar) const {
            return std::string(scalars[static_cast<std::size_t>(scalar)].name);
        }
        std::string operator()(Op op) const { return std::string(info(op).name); }
        std::string operator()(const Extension& extension) const { return extension.id; }
        std::string operator()(const Subgroup& subgroup) const {
            return fmt::format("{}{}", subgroup_prefix, subgroup.invocations);
        }
        std::string operator()(const Exact&) const { return "exact"; }
    };
    return std::visit(Say{}, what);
}

bool Feature::is_in(const DeviceInfo& device) const { return has(*this, device); }
bool Feature::is_in(const Target& target) const { return has(*this, target); }

std::vector<std::string> features(const DeviceInfo& device) { return features_of(device); }
std::vector<std::string> features(const Target& target) { return features_of(target); }

}  // namespace muster
