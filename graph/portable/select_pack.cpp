#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/portable/select_pack.hpp>

namespace muster::graph {
namespace {

constexpr std::string_view how_to_name = "name one: Policy::pack, MUSTER_PACK or --pack";

std::vector<std::string_view> sorted(std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    return ids;
}

Result<const Pack*> named_pack(std::span<const OfferedPack> offered, std::string_view id,
                               std::string_view backend) {
    if (id == portable_pack().name) return &portable_pack();
    const auto found = std::ranges::find(offered, id, &OfferedPack::id);
    if (found == offered.end()) {
        std::vector<std::string_view> ids{portable_pack().name};
        for (const OfferedPack& one : offered) ids.push_back(one.id);
        return fail(ErrorCode::not_found, fmt::format("No pack of patterns is called \"{}\".", printable(id)),
                    fmt::format("there are: {}", fmt::join(sorted(std::move(ids)), ", ")));
    }
    if (found->pack->applies_to(backend)) return found->pack;
    return fail(ErrorCode::refused,
                fmt::format("The pack \"{}\" applies to devices of {}, and the graph runs on {}.", id,
                            fmt::join(found->pack->backends, ", "), printable(backend)),
                "name another pack, or leave it to the device");
}

}  // namespace

Result<const Pack*> select_pack(std::span<const OfferedPack> offered, const PackChoice& choice) {
    if (choice.named) return named_pack(offered, *choice.named, choice.backend);
    if (!choice.fast) return &portable_pack();
    std::vector<std::string_view> ids;
    const Pack* taken = &portable_pack();
    for (const OfferedPack& one : offered) {
        if (!one.pack->applies_to(choice.backend) || one.id == portable_pack().name) continue;
        taken = one.pack;
        ids.push_back(one.id);
    }
    if (ids.size() <= 1) return taken;
    return fail(ErrorCode::conflict,
                fmt::format("{} packs of patterns apply to devices of {}: {}.", ids.size(),
                            printable(choice.backend), fmt::join(sorted(ids), ", ")),
                std::string(how_to_name));
}

}  // namespace muster::graph
