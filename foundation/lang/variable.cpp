#include <utility>

#include <muster/foundation/lang/parameter.hpp>

namespace muster::lang::detail {

Child variable(AddressSpace space, TypeId (*type)(IrBuilder&), Location at, const Child* initial) {
    Recorder* const recorder = Recorder::current();
    if (recorder == nullptr) return {};
    IrBuilder& ir = recorder->ir();
    Variable made;
    if (initial != nullptr) {
        made.initial = recorder->effect(at, {*initial}, [](IrBuilder&, Nodes n) { return n[0]; });
        if (!ir.is_constant(made.initial))
            recorder->fault(
                at, "A private variable's initial value is computed on the device; it must be constant.",
                "initialise it with constants, or assign to it afterwards");
    }
    recorder->flush();
    recorder->at(at);
    made.type = type(ir);
    made.space = space;
    made.location = ir.here();
    const VariableId id = ir.variable(std::move(made));
    return {recorder->known(ir.ref(id)), false};
}

Child bound(const Slot& slot, AddressSpace space, Access access, TypeId (*type)(IrBuilder&)) {
    Recorder& recorder = *Recorder::current();
    recorder.at(slot.where);
    IrBuilder& ir = recorder.ir();
    Variable made;
    made.name = slot.name;
    made.type = type(ir);
    made.space = space;
    made.access = access;
    made.binding = slot.binding;
    made.location = ir.here();
    return {recorder.known(ir.ref(ir.variable(std::move(made)))), false};
}

void declare(Child reference, Child initial, Location at) {
    effect(at, {reference, initial},
           [](IrBuilder& ir, Nodes n) { return ir.declare(VariableId{ir.node(n[0]).payload}, n[1]); });
}

void declare(Child reference, Location at) {
    effect(at, {reference},
           [](IrBuilder& ir, Nodes n) { return ir.declare(VariableId{ir.node(n[0]).payload}); });
}

}  // namespace muster::lang::detail
