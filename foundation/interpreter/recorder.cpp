#include <fmt/format.h>

#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/interpreter/layout.hpp>
#include <muster/foundation/interpreter/place_name.hpp>
#include <muster/foundation/interpreter/recorder.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster {

std::string_view name(FindingKind kind) { return enum_name(kind); }

std::string_view name(AccessKind kind) { return enum_name(kind); }

}  // namespace muster

namespace muster::interpreter {
namespace {

std::string describe(const InvocationId& id) {
    return fmt::format("Invocation ({}, {}, {}) of workgroup ({}, {}, {})", id.local.x, id.local.y,
                       id.local.z, id.workgroup.x, id.workgroup.y, id.workgroup.z);
}

std::string describe_other(const InvocationId& id) {
    std::string text = describe(id);
    text[0] = 'i';
    return text;
}

AccessKind access_of(Op op) {
    if (info(op).group == OpGroup::atomic) return AccessKind::atomic;
    return op == Op::store ? AccessKind::write : AccessKind::read;
}

std::string_view verb(AccessKind kind) {
    switch (kind) {
        case AccessKind::read: return "reads";
        case AccessKind::write: return "writes";
        case AccessKind::atomic: return "accesses";
    }
    return "accesses";
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
    ++access_;
    const Range range = shadows(i, where, at, count);
    for (std::uint32_t k = range.first; k < range.end; ++k) {
        const WordAccess access{i, in_storage(where), k, false};
        Shadow& shadow = this->shadow(access);
        check_guard(access, AccessKind::read);
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
    ++access_;
    const Range range = shadows(i, where, at, count);
    for (std::uint32_t k = range.first; k < range.end; ++k) {
        const WordAccess access{i, in_storage(where), k, true};
        Shadow& shadow = this->shadow(access);
        check_guard(access, AccessKind::write);
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
    ++access_;
    const WordAccess access{i, in_storage(where), shadows(i, where, at, 1).first, !only_reads};
    Shadow& shadow = this->shadow(access);
    const bool only_writes = code_.program->node(node_of(i)).op == Op::atomic_store;
    check_guard(access, only_reads ? AccessKind::read : only_writes ? AccessKind::write : AccessKind::atomic);
    if (only_reads) {
        check_written(access, shadow);
    } else {
        shadow.write = now(access);
    }
}

void Recorder::check_race(const WordAccess& access, const ShadowAccess& earlier, bool earlier_writes) {
    const ShadowAccess now = this->now(access);
    if (is_ordered(earlier, now, access.in_storage)) return;
    const bool between_workgroups = earlier.group != now.group;
    if (!is_wanted(FindingKind::data_race, now.node, earlier.node, between_workgroups)) return;
    Finding race = finding(FindingKind::data_race, access);
    race.other = ids(earlier.group, earlier.invocation);
    race.other_where = code_.program->location(earlier.node);
    race.other_access = earlier_writes ? AccessKind::write : AccessKind::read;
    race.between_workgroups = between_workgroups;
    race.message = fmt::format("{} {} \"{}\", which {} {}; no barrier lies in between.",
                               describe(race.invocation), access.writes ? "writes" : "reads", race.place,
                               describe_other(*race.other), earlier_writes ? "has written" : "has read");
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
    findings_.push_back(std::move(read));
}

void Recorder::check_guard(const WordAccess& access, AccessKind kind) {
    if (grid_.guard == nullptr || !access.in_storage) return;
    const std::uint32_t binding = access.instruction->f;
    const std::uint64_t word = std::uint64_t{access.at} * unit_bytes_[binding] / 4;
    if (grid_.guard->allows(binding, word, kind)) return;
    const NodeId node = node_of(access.instruction);
    if (!is_wanted(FindingKind::foreign_word, node, node)) return;
    Finding found = finding(FindingKind::foreign_word, access);
    const std::string owner = grid_.guard->owner();
    found.message =
        fmt::format("{} {} word {} of \"{}\", \"{}\", which {}.", describe(found.invocation), verb(kind),
                    word, found.variable, found.place,
                    kind == AccessKind::read ? owner + " doesn't have" : "isn't for " + owner + " to change");
    findings_.push_back(std::move(found));
}

void Recorder::out_of_bounds(const Instruction* i, std::uint32_t base, std::uint32_t index,
                             std::uint32_t count) {
    ++access_;
    const NodeId node = node_of(i);
    if (!options_.report_out_of_bounds || !is_wanted(FindingKind::out_of_bounds, node, node)) return;
    Finding found = finding(FindingKind::out_of_bounds, node);
    // Memory has fewer than 2^31 elements, so a larger index is a negative i32 or was meant as one.
    found.index = index >= 0x80000000u ? std::int64_t{static_cast<std::int32_t>(index)} : std::int64_t{index};
    found.length = count;
    const std::string indexed = indexed_place(i, base);
    found.place = fmt::format("{}[{}]", indexed, found.index);
    found.message = fmt::format(
        "{} {} \"{}\", and {} has {} element{}.", describe(found.invocation), verb(found.access), found.place,
        indexed.empty() ? "what is indexed" : "\"" + indexed + "\"", count, count == 1 ? "" : "s");
    findings_.push_back(std::move(found));
}

// Indices that have been in bounds follow from the address. Constant ones behind this one lead to a place
// within the same element, and so change none of them.
std::string Recorder::indexed_place(const Instruction* i, std::uint32_t base) const {
    const Program& program = *code_.program;
    const NodeId node = node_of(i);
    const NodeId reference = program.operand(node, 0);
    if (program.node(node).op == Op::extract_dynamic) return std::string(program.name(reference));
    const VariableId id = program.root_variable(reference);
    const Variable& variable = program.variable(id);
    if (base == nowhere) return variable.name;

    // An access's instructions, one for each index that isn't constant, follow each other.
    std::size_t step = 0;
    for (auto at = static_cast<std::size_t>(i - code_.instructions.data());
         at > 0 && code_.nodes[at - 1] == node; --at)
        ++step;
    const Layout layout = layout_of(variable);
    const std::uint64_t unit =
        layout == Layout::host ? program.types().least_bytes(program.type(reference)) : 1;
    const std::uint64_t first = variable.is_binding() ? 0 : code_.workgroup_offsets[id.index];
    return name_indexed(program, reference, step, (base - first) * unit);
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
    Finding found = finding(kind, node, lane);
    found.message = fmt::format("{} {}.", describe(found.invocation),
                                fmt::format(fmt::runtime(text), info(code_.program->node(node).op).name));
    findings_.push_back(std::move(found));
}

void Recorder::step_limit(const Machine& machine, std::uint64_t steps) {
    const Program& program = *code_.program;
    NodeId node = code_.nodes.front(), loop;
    if (machine.exit == Exit::paused)
        node = node_of(machine.paused);
    else if (machine.exit != Exit::done)
        node = node_of(machine.resume);
    for_each_within(program, program.body(), [&](NodeId id) {
        const auto is_node = [&](NodeId inner) { return inner == node; };
        if (program.node(id).op == Op::loop && any_within(program, id, is_node)) loop = id;
    });
    Finding found = finding(FindingKind::step_limit, loop ? loop : node);
    found.message = fmt::format("{} is still {} after {} steps.", describe(found.invocation),
                                loop ? "in this loop" : "here", steps);
    findings_.push_back(std::move(found));
}

/// A finding at a node, about what it accesses, if it is an access.
Finding Recorder::finding(FindingKind kind, NodeId node, std::uint32_t lane) const {
    const Program& program = *code_.program;
    Finding finding;
    finding.kind = kind;
    finding.invocation = ids(group_->group, invocation_ + lane);
    if (!node) return finding;
    const Op op = program.node(node).op;
    finding.where = program.location(node);
    finding.access = access_of(op);
    if (op == Op::extract_dynamic) {
        finding.variable = program.name(program.operand(node, 0));
        finding.space = AddressSpace::function;
    } else if (op == Op::load || op == Op::store || info(op).group == OpGroup::atomic ||
               is_grid_uniform_load(program, node)) {
        const Variable& variable = program.variable(program.root_variable(program.operand(node, 0)));
        finding.variable = variable.name;
        finding.space = variable.space;
    }
    return finding;
}

Finding Recorder::finding(FindingKind kind, const WordAccess& access) const {
    const Program& program = *code_.program;
    const NodeId node = node_of(access.instruction);
    const VariableId id = program.root_variable(program.operand(node, 0));
    std::uint64_t at = access.at;
    if (access.in_storage)
        at *= unit_bytes_[access.instruction->f];
    else
        at -= code_.workgroup_offsets[id.index];
    PlaceName place = name_place(program.types(), program.variable(id), at);
    const TypeId accessed =
        program.type(program.node(node).op == Op::store ? program.operand(node, 1) : node);
    if (program.types()[accessed].kind == TypeKind::vector) place.text.resize(place.text.size() - 2);  // ".x"
    Finding finding = this->finding(kind, node);
    finding.place = std::move(place.text);
    finding.index = place.index;
    return finding;
}

// Allows one finding per source location, and counts it if it is seen again; nodes without a location
// are distinguished by id.
bool Recorder::is_wanted(FindingKind kind, NodeId node, NodeId other, bool between_workgroups) {
    const SourceLocation a = code_.program->location(node), b = code_.program->location(other);
    constexpr std::size_t most_places = 1'000'000;
    const auto key = std::tuple(kind, a, b, a.line == 0 ? node.index : 0);
    if (const auto known = seen_.find(key); known != seen_.end()) {
        Seen& seen = known->second;
        if (seen.finding < findings_.size()) {
            Finding& finding = findings_[seen.finding];
            if (seen.access != access_) ++finding.times;
            finding.between_workgroups |= between_workgroups;
        }
        seen.access = access_;
        return false;
    }
    if (seen_.size() >= most_places) return false;
    const bool has_room = findings_.size() < options_.max_findings;
    seen_.emplace(key, Seen{has_room ? findings_.size() : SIZE_MAX, access_});
    if (!has_room) ++left_out_;
    return has_room;
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
