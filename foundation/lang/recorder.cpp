#include <atomic>
#include <utility>

#include <muster/foundation/lang/recorder.hpp>

namespace muster::lang::detail {
namespace {

thread_local Recorder* current_recorder = nullptr;

// Temporaries nest as deep as an expression is written. Longer chains are emitted early, so that emission
// needs no deep stack whatever a metaprogram does.
constexpr std::size_t longest_chain = 1000;

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

Recorder* Recorder::current() { return current_recorder; }
Recorder::Use::Use(Recorder& recorder) : outer_(std::exchange(current_recorder, &recorder)) {}
Recorder::Use::~Use() { current_recorder = outer_; }

Recorder::Recorder(std::string entry, Extent3 workgroup_size, Location where)
    : serial_(next_serial()), ir_(std::move(entry), workgroup_size), recorded_(1) {
    recorded_[0].node = ir_.constant(0u);  // stands for values that aren't of this kernel
    at(where);
}

SourceLocation Recorder::located(Location where) {
    return {ir_.file({where.file_name(), nullptr}), where.line(), where.column()};
}

void Recorder::at(Location where) { ir_.at(located(where)); }

void Recorder::fault(Location where, std::string message, std::string fix) {
    if (fault_) return;
    const Diagnostic diagnostic{located(where), std::move(message), std::move(fix)};
    fault_ = Error{ErrorCode::invalid_program, render(diagnostic, {where.file_name(), nullptr}), {}, {}};
}

std::uint32_t Recorder::adopt(Child child, Location where) {
    if (child.handle.kernel != serial_) {
        fault(where, "A value or variable of another kernel, or of none, is used.",
              "make it inside the function given to kernel()");
        return 0;
    }
    if (child.temporary) recorded_[child.handle.index].is_temporary = true;
    return child.handle.index;
}

Handle Recorder::record(Location where, std::initializer_list<Child> children, Emit emit) {
    if (chain_ >= longest_chain) flush();
    Recorded made{{}, std::move(emit), located(where), {}, false};
    for (const Child& child : children)
        made.children.push_back({{serial_, adopt(child, where)}, child.temporary});
    recorded_.push_back(std::move(made));
    ++chain_;
    return {serial_, static_cast<std::uint32_t>(recorded_.size() - 1)};
}

Handle Recorder::known(NodeId node) {
    recorded_.push_back({{}, {}, {}, node, false});
    return {serial_, static_cast<std::uint32_t>(recorded_.size() - 1)};
}

NodeId Recorder::emit(std::uint32_t index) {
    if (recorded_[index].node) return recorded_[index].node;
    std::vector<NodeId> nodes;
    for (const Child& child : recorded_[index].children) nodes.push_back(emit(child.handle.index));
    Recorded& one = recorded_[index];
    ir_.at(one.where);
    one.node = fault_ ? recorded_[0].node : one.emit(ir_, nodes);  // a wrong kernel emits nothing
    one.emit = nullptr;
    return one.node;
}

void Recorder::flush() {
    for (; flushed_ < recorded_.size(); ++flushed_)
        if (!recorded_[flushed_].is_temporary) emit(static_cast<std::uint32_t>(flushed_));
    chain_ = 0;
}

NodeId Recorder::effect(Location where, std::initializer_list<Child> children, const Emit& emit_effect) {
    std::vector<std::uint32_t> adopted;
    for (const Child& child : children) adopted.push_back(adopt(child, where));
    flush();
    std::vector<NodeId> nodes;
    for (const std::uint32_t index : adopted) nodes.push_back(emit(index));
    at(where);
    return fault_ ? recorded_[0].node : emit_effect(ir_, nodes);
}

Result<Program> Recorder::finish() && {
    flush();
    if (fault_) return std::unexpected(*std::move(fault_));
    return std::move(ir_).finish();
}

Handle record(Location where, std::initializer_list<Child> children, Emit emit) {
    Recorder* const recorder = Recorder::current();
    return recorder == nullptr ? Handle{} : recorder->record(where, children, std::move(emit));
}

NodeId effect(Location where, std::initializer_list<Child> children, const Emit& emit) {
    Recorder* const recorder = Recorder::current();
    return recorder == nullptr ? NodeId{} : recorder->effect(where, children, emit);
}

Handle known(const std::function<NodeId(IrBuilder&)>& make) {
    Recorder* const recorder = Recorder::current();
    return recorder == nullptr ? Handle{} : recorder->known(make(recorder->ir()));
}

Handle known(NodeId node) {
    Recorder* const recorder = Recorder::current();
    return recorder == nullptr || !node ? Handle{} : recorder->known(node);
}

}  // namespace muster::lang::detail
