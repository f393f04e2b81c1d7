#include <fmt/format.h>

#include <muster/cluster/decomposition/reasons.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cluster {
namespace {

const Node& node_of(const Footprint& footprint, std::size_t access) {
    return footprint.program.node(footprint.accesses[access].node);
}

bool is_atomic(const Footprint& footprint, std::size_t access) {
    return info(node_of(footprint, access).op).group == OpGroup::atomic;
}

const std::string& name_of(const Footprint& footprint, std::size_t access) {
    const Program& program = footprint.program;
    return program.variable(program.bindings()[footprint.accesses[access].binding]).name;
}

/// The binding for people, who don't know that of a program which was split at grid barriers.
std::string shown(const Footprint& footprint, std::size_t access) {
    const std::string& name = name_of(footprint, access);
    return name == scratch_name ? "what is kept across a grid barrier" : fmt::format("\"{}\"", name);
}

OneRank at(const Footprint& footprint, std::size_t access, std::string message, std::string fix) {
    const Program& program = footprint.program;
    OneRank made{std::move(message), std::move(fix), program.location(footprint.accesses[access].node), {}};
    if (made.where.line != 0) made.place = to_string(made.where, program.file(made.where));
    return made;
}

// An atomic that isn't a reduction.
OneRank atomic_in_order(const Footprint& footprint, std::size_t access) {
    const std::string name = shown(footprint, access);
    if (is_float(footprint.accesses[access].scalar))
        return at(
            footprint, access,
            fmt::format("Atomics of several ranks change the same words of {}, and sums of floats depend on "
                        "their order.",
                        name),
            "add integers, or write each workgroup's result to a word of its own");
    return at(
        footprint, access,
        fmt::format("Atomics of several ranks change the same words of {}, and their results depend on each "
                    "other.",
                    name),
        "don't use the atomics' results, or write to words of the workgroup's own");
}

}  // namespace

OneRank shared_words(const Footprint& footprint, std::size_t access, std::size_t other, bool is_bounded) {
    const std::string name = shown(footprint, access);
    if (!footprint.accesses[access].writes) {
        const std::string written = at(footprint, other, "", "").place;
        return at(footprint, access,
                  fmt::format("Words of {} are read here that workgroups of another rank may write{}.", name,
                              written.empty() ? " in the same dispatch" : " at " + written),
                  "write to another buffer");
    }
    const std::string fix = "index it by the workgroup's own ids";
    if (!is_bounded)
        return at(footprint, access,
                  fmt::format("Nothing bounds the words of {} that are written here.", name), fix);
    if (is_atomic(footprint, access) && is_atomic(footprint, other))
        return atomic_in_order(footprint, access);
    return at(footprint, access,
              fmt::format("Workgroups of different ranks may write the same words of {}.", name), fix);
}

OneRank mixed_with_atomics(const Footprint& footprint, std::size_t access) {
    return at(footprint, access,
              fmt::format("Words of {} that atomics of several ranks change are also accessed otherwise.",
                          shown(footprint, access)),
              "use a dispatch of its own for it");
}

OneRank unbounded_read(const Footprint& footprint, std::size_t access) {
    const std::string& name = name_of(footprint, access);
    return at(
        footprint, access,
        fmt::format("Nothing bounds the words of {} that are read here, and not every rank has all of them.",
                    shown(footprint, access)),
        name == scratch_name ? ""
                             : fmt::format("make \"{0}\" Replicated (--replicate {0}), or let every rank get "
                                           "all of it: reads_whole({0})",
                                           name));
}

}  // namespace muster::cluster
