#include <fmt/format.h>

#include <muster/foundation/interpreter/place_name.hpp>
#include <muster/foundation/interpreter/recorder.hpp>

namespace muster {

std::string_view name(FindingKind kind) {
    switch (kind) {
        case FindingKind::data_race: return "data_race";
        case FindingKind::read_before_write: return "read_before_write";
        case FindingKind::out_of_bounds: return "out_of_bounds";
        case FindingKind::divergent_subgroup: return "divergent_subgroup";
        case FindingKind::inactive_invocation: return "inactive_invocation";
    }
    return "unknown";
}

}  // namespace muster

namespace muster::interpreter {
namespace {

std::string describe(const InvocationId& id) {
    return fmt::format("invocation ({}, {}, {}) of workgroup ({}, {}, {})", id.local.x, id.local.y,
                       id.local.z, id.workgroup.x, id.workgroup.y, id.workgroup.z);
}

bool same_invocation(const ShadowAccess& a, const ShadowAccess& b) {
    return a.group == b.group && a.invocation == b.invocation;
}

}  // namespace

Shadow& ShadowMemory::operator[](std::uint32_t word) {
    std::unique_ptr<Page>& page = pages_[word / page_words];
    if (!page) page = std::make_unique<Page>();
    return (*page)[word % page_words];
}

Recorder::Recorder(const InterpreterCode::Data& code, const InterpretOptions& options,
                   std::span<const Buffer> buffers, const LaunchGrid& grid)
    : code_(code), options_(options), buffers_(buffers), grid_(grid), storage_(buffers.size()) {
    const Program& program = code.program;
    for (const VariableId id : program.bindings())
        unit_bytes_.push_back(program.types().least_bytes(program.variable(id).type));
}

Recorder::Range Recorder::shadows(const Instruction* i, Where where, std::uint32_t at,
                                  std::uint32_t count) const {
    const std::uint32_t each = in_storage(where) ? unit_bytes(where) / unit_bytes_[i->f] : 1;
    return {at * each, (at + count) * each};
}

Shadow& Recorder::shadow(const WordAccess& access) {
    return access.in_storage ? storage_[access.instruction->f][access.at]
                             : group_->workgroup_memory[access.at];
}

ShadowAccess Recorder::now(const WordAccess& access) const {
    return {group_->group, access.in_storage ? group_->storage_epoch : group_->workgroup_epoch, grid_epoch_,
            invocation_, node_of(access.instruction)};
}

bool Recorder::is_ordered(const ShadowAccess& earlier, const ShadowAccess& now, bool in_storage) const {
    if (earlier.group == 0 || same_invocation(earlier, now) || earlier.grid_epoch != now.grid_epoch)
        return true;
    if (in_storage && earlier.group != now.group) return false;
    return earlier.epoch != now.epoch;
}

void Recorder::read(const Instruction* i, Where where, std::uint32_t at, std::uint32_t count) {
    const Range range = shadows(i, where, at, count);
    for (std::uint32_t k = range.first; k < range.end; ++k) {
        const WordAccess access{i, in_storage(where), k, false};
        Shadow& shadow = this->shadow(access);
        check_written(access, shadow);
        if (!options_.report_races) continue;
        check_race(access, shadow.write, true);
        const ShadowAccess now = this->now(access);
        const bool other_is_elsewhere = shadow.other_read.group != 0 &&
                                        shadow.other_read.group != now.group &&
                                        shadow.other_read.grid_epoch == now.grid_epoch;
        if (!same_invocation(shadow.read, now) && !other_is_elsewhere)
            shadow.other_read =
                is_ordered(shadow.read, now, access.in_storage) ? ShadowAccess{} : shadow.read;
        shadow.read = now;
    }
}

void Recorder::write(const Instruction* i, Where where, std::uint32_t at, std::uint32_t count) {
    const Range range = shadows(i, where, at, count);
    for (std::uint32_t k = range.first; k < range.end; ++k) {
        const WordAccess access{i, in_storage(where), k, true};
        Shadow& shadow = this->shadow(access);
        if (options_.report_races) {
            check_race(access, shadow.write, true);
            check_race(access, shadow.read, false);
            check_race(access, shadow.other_read, false);
        }
        shadow.write = now(access);
    }
}

// Read-modify-write operations read too, but a counter that starts at zero isn't a finding.
void Recorder::atomic(const Instruction* i, Where where, std::uint32_t at, bool only_reads) {
    const WordAccess access{i, in_storage(where), shadows(i, where, at, 1).first, !only_reads};
    Shadow& shadow = this->shadow(access);
    if (only_reads) {
        check_written(access, shadow);
    } else {
        shadow.write = now(access);
    }
}

void Recorder::check_race(const WordAccess& access, const ShadowAccess& earlier, bool earlier_writes) {
    const ShadowAccess now = this->now(access);
    if (is_ordered(earlier, now, access.in_storage)) return;
    if (!is_wanted(FindingKind::data_race, now.node, earlier.node)) return;
    Finding race = finding(FindingKind::data_race, access);
    race.other = ids(earlier.group, earlier.invocation);
    race.other_where = code_.program->location(earlier.node);
    race.message = fmt::format("{} {} \"{}\", which {} {}; no barrier lies in between.",
                               describe(race.invocation), access.writes ? "writes" : "reads", race.place,
                               describe(*race.other), earlier_writes ? "has written" : "has read");
    race.message[0] = 'I';
    findings_.push_back(std::move(race));
}

void Recorder::check_written(const WordAccess& access, const Shadow& shadow) {
    if (!options_.report_reads_before_write || shadow.write.group != 0) return;
    if (access.in_storage && buffers_[access.instruction->f].has_data) return;
    const NodeId node = node_of(access.instruction);
    if (!is_wanted(FindingKind::read_before_write, node, node)) return;
    Finding read = finding(FindingKind::read_before_write, access);
    read.message =
        fmt::format("{} reads \"{}\", which nothing has written.", describe(read.invocation), read.place);
    read.message[0] = 'I';
    findings_.push_back(std::move(read));
}

void Recorder::out_of_bounds(const Instruction* i, std::uint32_t index, std::uint32_t count) {
    const NodeId node = node_of(i);
    if (!options_.report_out_of_bounds || !is_wanted(FindingKind::out_of_bounds, node, node)) return;
    const Program& program = code_.program;
    Finding found;
    found.kind = FindingKind::out_of_bounds;
    found.where = program.location(node);
    const NodeId whole = program.operand(node, 0);
    found.variable = program.node(node).op == Op::extract_dynamic
                         ? std::string(program.name(whole))
                         : program.variable(program.root_variable(whole)).name;
    // Memory has fewer than 2^31 elements, so a larger index is a negative i32 or was meant as one.
    found.index = index >= 0x80000000u ? std::int64_t{static_cast<std::int32_t>(index)} : std::int64_t{index};
    found.place = fmt::format("{}[{}]", found.variable, found.index);
    found.invocation = ids(group_->group, invocation_);
    found.message = fmt::format("{} accesses index {} of \"{}\", which has {} elements there.",
                                describe(found.invocation), found.index, found.variable, count);
    found.message[0] = 'I';
    findings_.push_back(std::move(found));
}

void Recorder::divergent_subgroup(const Instruction* i, std::uint32_t lane, std::uint32_t active,
                                  std::uint32_t all) {
    add_of_subgroup(
        FindingKind::divergent_subgroup, i, lane,
        fmt::format("takes part in {{}} with only {} of the {} invocations of its subgroup", active, all));
}

void Recorder::inactive_invocation(const Instruction* i, std::uint32_t lane, std::uint32_t source) {
    add_of_subgroup(
        FindingKind::inactive_invocation, i, lane,
        fmt::format("reads in {{}} from invocation {} of its subgroup, which doesn't take part", source));
}

// Adds a finding about an invocation of the subgroup; in `text`, {} is the operation.
void Recorder::add_of_subgroup(FindingKind kind, const Instruction* i, std::uint32_t lane,
                               std::string_view text) {
    const NodeId node = node_of(i);
    if (!options_.report_subgroups || !is_wanted(kind, node, node)) return;
    Finding found;
    found.kind = kind;
    found.where = code_.program->location(node);
    found.invocation = ids(group_->group, invocation_ + lane);
    found.message = fmt::format("{} {}.", describe(found.invocation),
                                fmt::format(fmt::runtime(text), info(code_.program->node(node).op).name));
    found.message[0] = 'I';
    findings_.push_back(std::move(found));
}

Finding Recorder::finding(FindingKind kind, const WordAccess& access) const {
    const Program& program = code_.program;
    const NodeId node = node_of(access.instruction);
    const VariableId id = program.root_variable(program.operand(node, 0));
    const Variable& variable = program.variable(id);
    std::uint64_t at = access.at;
    if (access.in_storage)
        at *= unit_bytes_[access.instruction->f];
    else
        at -= code_.workgroup_offsets[id.index];
    PlaceName place = name_place(program.types(), variable, at);
    Finding finding;
    finding.kind = kind;
    finding.where = program.location(node);
    finding.variable = variable.name;
    finding.place = std::move(place.text);
    finding.index = place.index;
    finding.invocation = ids(group_->group, invocation_);
    return finding;
}

// Allows one finding per source location; nodes without one are distinguished by id.
bool Recorder::is_wanted(FindingKind kind, NodeId node, NodeId other) {
    const SourceLocation a = code_.program->location(node), b = code_.program->location(other);
    constexpr std::size_t most_places = 1'000'000;
    if (seen_.size() >= most_places || !seen_.emplace(kind, a, b, a.line == 0 ? node.index : 0).second)
        return false;
    if (findings_.size() < options_.max_findings) return true;
    ++left_out_;
    return false;
}

NodeId Recorder::node_of(const Instruction* i) const {
    return code_.nodes[static_cast<std::size_t>(i - code_.instructions.data())];
}

InvocationId Recorder::ids(std::uint64_t group, std::uint32_t invocation) const {
    const Extent3 size = code_.program->workgroup_size(), extent = grid_.extent;
    const std::uint64_t linear = group - 1;
    return {{grid_.origin.x + static_cast<std::uint32_t>(linear % extent.x),
             grid_.origin.y + static_cast<std::uint32_t>(linear / extent.x % extent.y),
             grid_.origin.z + static_cast<std::uint32_t>(linear / extent.x / extent.y)},
            {invocation % size.x, invocation / size.x % size.y, invocation / size.x / size.y}};
}

void Recorder::give(InterpretReport& report) {
    report.findings = std::move(findings_);
    report.findings_left_out = left_out_;
}

}  // namespace muster::interpreter
