#include <algorithm>

#include <muster/foundation/ir/op_kind.hpp>

namespace muster {
namespace {

constexpr bool pure = true, effect = false;  // op.def's words

constexpr std::string_view without_underscore(std::string_view name) {
    return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

constexpr std::array<OpInfo, op_count> table{{
#define MUSTER_OP(op, kind, operands, effect, ...) \
    {Op::op, without_underscore(#op), group_of(OpKind::kind), operands, effect},
#include <muster/foundation/ir/op.def>
}};

}  // namespace

const OpInfo& info(Op op) { return table[static_cast<std::size_t>(op)]; }

std::optional<Op> op_by_name(std::string_view name) {
    for (const OpInfo& row : table) {
        if (row.name == name) return row.op;
    }
    return std::nullopt;
}

bool OpSet::contains(const OpSet& other) const {
    return (other.core & ~core).none() && std::ranges::includes(extensions, other.extensions);
}

OpSet& OpSet::insert(std::string_view extension) {
    auto place = std::ranges::lower_bound(extensions, extension);
    if (place == extensions.end() || *place != extension) extensions.emplace(place, extension);
    return *this;
}

OpSet& OpSet::insert(OpGroup group) {
    for (const OpInfo& row : table) {
        if (row.group == group) insert(row.op);
    }
    return *this;
}

std::vector<std::string> OpSet::missing(const OpSet& other) const {
    std::vector<std::string> names;
    for (const OpInfo& row : table) {
        if (other.contains(row.op) && !contains(row.op)) names.emplace_back(row.name);
    }
    std::ranges::set_difference(other.extensions, extensions, std::back_inserter(names));
    return names;
}

const OpSet& OpSet::all_exact() {
    static const OpSet set = [] {
        OpSet all = all_core();
        for (const OpInfo& row : table) {
            if (row.group == OpGroup::math) all.core.reset(static_cast<std::size_t>(row.op));
        }
        return all;
    }();
    return set;
}

const OpSet& OpSet::all_core() {
    static const OpSet set = [] {
        OpSet all;
        for (const OpInfo& row : table)
            if (row.group != OpGroup::packed && row.group != OpGroup::subgroup &&
                row.group != OpGroup::extension)
                all.insert(row.op);
        return all;
    }();
    return set;
}

std::string_view name(Builtin builtin) { return builtin_table[static_cast<std::size_t>(builtin)].name; }

}  // namespace muster
