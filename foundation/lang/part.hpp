// part.hpp - the objects that operations read and write (memory, read-only memory, or a value), and how a
// structure's members refer to their structure. Internal to lang.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/lang/operand.hpp>

namespace muster::lang::detail {
MUSTER_API_BEGIN

enum class Hold : std::uint8_t { memory, read_only, value };
/// A reference to memory, or a value.
struct Spot {
    Child child;
    Hold hold = Hold::memory;
};

/// Returns true if the spot can be written to, else records a fault.
bool writable(const Spot& spot, Location at);
/// Returns false and records a fault if the index is a C++ number that isn't below `count`; 0 means sized at
/// run time.
bool in_bounds(const Index& index, std::uint32_t count);

inline Child load(const Spot& from, Location at) {
    if (from.hold == Hold::value) return from.child;
    return {record(at, {from.child}, [](IrBuilder& ir, Nodes n) { return ir.load(n[0]); }), true};
}

/// An element of an array, or a component of a vector.
inline Spot element(const Spot& whole, const Index& index, std::uint32_t count) {
    if (!in_bounds(index, count)) return whole;
    const auto made = [&](Handle handle) { return Spot{{handle, true}, whole.hold}; };
    if (whole.hold != Hold::value)
        return made(record(index.where, {whole.child, index.child},
                           [](IrBuilder& ir, Nodes n) { return ir.ref_index(n[0], n[1]); }));
    if (!index.number)
        return made(record(index.where, {whole.child, index.child},
                           [](IrBuilder& ir, Nodes n) { return ir.extract_dynamic(n[0], n[1]); }));
    return made(record(index.where, {whole.child},
                       [which = static_cast<std::uint32_t>(*index.number)](IrBuilder& ir, Nodes n) {
                           return ir.extract(n[0], which);
                       }));
}

inline Spot member(const Spot& whole, std::uint32_t which, Location at) {
    const bool is_value = whole.hold == Hold::value;
    return {{record(at, {whole.child},
                    [which, is_value](IrBuilder& ir, Nodes n) {
                        return is_value ? ir.extract(n[0], which) : ir.ref_member(n[0], which);
                    }),
             true},
            whole.hold};
}

template <class T>
void store(const Spot& to, const Operand<T>& value) {
    if (!writable(to, value.where)) return;
    effect(value.where, {to.child, value.child}, [](IrBuilder& ir, Nodes n) { return ir.store(n[0], n[1]); });
}

/// place = place op value. The place is evaluated once, then read; the value comes after it.
template <class T>
void update(Op op, const Spot& place, const Operand<T>& value) {
    if (!writable(place, value.where)) return;
    const Child found{place.child.handle, true};
    const Child made{record(value.where, {load({found}, value.where), value.child},
                            [op](IrBuilder& ir, Nodes n) { return ir.binary(op, n[0], n[1]); }),
                     true};
    effect(value.where, {found, made}, [](IrBuilder& ir, Nodes n) { return ir.store(n[0], n[1]); });
}

/// Base of device objects with a C++ object: either a whole, which has a spot of its own, or a member of
/// another Part, whose spot is derived at each use. Not movable, because its members point to it. All its
/// data is private and used only by functions, so that a structure's members may have any name.
class Part {
  public:
    Part() = default;
    explicit Part(Spot root) : root_(root) {}
    Part(const Part&) = delete;
    void operator=(const Part&) = delete;

  private:
    friend Spot spot_of(const Part& part, Location at, bool passing);
    friend void put(Part& part, Spot root);
    template <class T>
    friend void adopt(const Part& whole, T& structure);

    const Part* whole_ = nullptr;
    std::uint32_t index_ = 0;
    Spot root_;
};

/// `passing`: the C++ object is a temporary, so that a value, too, is emitted where it is used.
inline Spot spot_of(const Part& part, Location at, bool passing = false) {
    if (part.whole_ != nullptr) return member(spot_of(*part.whole_, at, passing), part.index_, at);
    Spot spot = part.root_;
    spot.child.temporary |= passing && spot.hold == Hold::value;
    return spot;
}
inline void put(Part& part, Spot root) { part.root_ = root; }
/// Makes the structure's members parts of `whole`.
template <class T>
void adopt(const Part& whole, T& structure) {
    std::uint32_t index = 0;
    const auto one = [&](Part& part) {
        part.whole_ = &whole;
        part.index_ = index++;
    };
    std::apply([&](auto*... member) { (one(*member), ...); }, fields(structure));
}

MUSTER_API_END
}  // namespace muster::lang::detail
