// parameter.hpp - what a kernel is given: arrays in storage, values in uniforms. The rule by which parameters
// become bindings is stated in kernel.hpp.
#pragma once

#include <string>

#include <muster/foundation/lang/place.hpp>

namespace muster::lang {
namespace detail {

struct Slot {
    std::string name;
    std::uint32_t binding;
    Location where;
};

template <class T>
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
template <class T>
TypeId runtime_array(IrBuilder& ir) {
    const TypeId element = Element<T>::type(ir);
    return ir.types().runtime_array(element);
}

/// What all arrays in storage share.
class StorageArray {
  public:
    /// Elements that are bound.
    Value<u32> length(Location at = Location::current()) const {
        return Value<u32>(
            record(at, {reference_}, [](IrBuilder& ir, Nodes n) { return ir.array_length(n[0]); }));
    }

  protected:
    explicit StorageArray(Child reference) : reference_(reference) {}
    Child reference_;
};

}  // namespace detail

/// var<storage, read> name: array<T>.
template <ValueType T>
class In : public detail::StorageArray {
  public:
    explicit In(const detail::Slot& slot)
        : StorageArray(
              detail::bound<T>(slot, AddressSpace::storage, Access::read, detail::runtime_array<T>)) {}
    ReadOnlyPlace<T> operator[](const detail::Index& index) const {
        return ReadOnlyPlace<T>(detail::element(reference_, index));
    }
};

/// var<storage, read_write> name: array<T>; T may be an Atomic.
template <class T>
class InOut : public detail::StorageArray {
  public:
    explicit InOut(const detail::Slot& slot)
        : StorageArray(
              detail::bound<T>(slot, AddressSpace::storage, Access::read_write, detail::runtime_array<T>)) {}
    Place<T> operator[](const detail::Index& index) const {
        return Place<T>(detail::element(reference_, index));
    }
};

/// The same binding as an InOut; the name says that the kernel only writes.
template <class T>
class Out : public InOut<T> {
  public:
    using InOut<T>::InOut;
};

/// var<uniform> name: T. Reading it anywhere loads it there.
template <ValueType T>
class Uniform : public detail::Operators<T> {
  public:
    explicit Uniform(const detail::Slot& slot)
        : reference_(detail::bound<T>(slot, AddressSpace::uniform, Access::read, detail::Element<T>::type)) {}
    template <class A>
    void operator=(A&&) {
        static_assert(detail::never<A>,
                      "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
    auto x(detail::Location at = detail::Location::current()) const { return place().x(at); }
    auto y(detail::Location at = detail::Location::current()) const { return place().y(at); }
    auto z(detail::Location at = detail::Location::current()) const { return place().z(at); }
    auto w(detail::Location at = detail::Location::current()) const { return place().w(at); }
    detail::Child as_child(detail::Location at) const { return detail::load(reference_, at); }

  private:
    ReadOnlyPlace<T> place() const { return ReadOnlyPlace<T>(reference_); }
    detail::Child reference_;
};

}  // namespace muster::lang
