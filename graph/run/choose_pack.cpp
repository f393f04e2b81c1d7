#include <muster/driver/process/packs.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/portable/select_pack.hpp>
#include <muster/graph/run/choose_pack.hpp>

namespace muster::graph {
namespace {

/// The backend that a plain kernel runs on; empty if nothing runs it.
Result<std::string> backend_of_kernels(Session session, const CompileOptions& options) {
    const ValidProgram probe =
        TRY(validate(TRY(wgsl::parse("@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
                                     "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) "
                                     "id: vec3u) { x[id.x] += 1.0; }\n"))));
    const Route route = session.route(probe, options);
    return route.execute() ? route.execute()->backend : std::string();
}

}  // namespace

Result<const Pack*> choose_pack(Session session, const CompileOptions& options,
                                std::span<const std::string> backends) {
    PackChoice choice{
        .named = session.policy().pack, .fast = options.precision == Precision::fast, .backend = {}};
    if (choice.named ? choice.named == portable_pack().name : !choice.fast) return &portable_pack();
    const std::vector<ListedPack> listed = list_packs();  // it has the names
    std::vector<OfferedPack> offered;
    bool is_choice = false;
    for (const ListedPack& each : listed) {
        const bool may_be_chosen = !choice.named || choice.named == each.id;
        offered.push_back({each.id, may_be_chosen ? TRY(acquire_pack(each.id)) : nullptr});
        is_choice = is_choice || may_be_chosen;
    }
    if (!is_choice) return select_pack(offered, choice);
    std::vector<std::string> all(backends.begin(), backends.end());
    if (all.empty()) all.push_back(TRY(backend_of_kernels(std::move(session), options)));
    const Pack* chosen = nullptr;
    for (const std::string& backend : all) {
        choice.backend = backend;
        const Pack* const one = TRY(select_pack(offered, choice));
        chosen = chosen == nullptr || chosen == one ? one : &portable_pack();
    }
    return chosen;
}

}  // namespace muster::graph
