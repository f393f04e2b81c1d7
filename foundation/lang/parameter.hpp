// parameter.hpp - the parameters of kernels: arrays and single objects in storage, values in uniforms.
// kernel.hpp states how parameters become bindings.
//
//     In<f32> x, InOut<Particle> y            // arrays: x[i], x.length()
//     Storage<Header> h                       // one T: h.count.add(1u); h.items[i] if it ends in an Array<U>
//     Storage<const Array<f32, 16>> c         // read-only
//     Uniform<Params> p                       // p.scale
#pragma once

#include <string>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/lang/variable.hpp>

namespace muster::lang {
namespace detail {

struct Slot {
    std::string name;
    std::uint32_t binding;
    Location where;
};

/// Adds the binding's variable; returns its reference.
MUSTER_API Child bound(const Slot& slot, AddressSpace space, Access access, TypeId (*type)(IrBuilder&));

template <class T>
struct HostShareable {
    static_assert(!Element<T>::holds_bool, "a bool has no layout outside the program: use a u32, 0 or 1");
};

/// Common base of arrays in storage.
template <class T>
class StorageArray : HostShareable<T> {
  public:
    /// The number of elements that are bound.
    Value<u32> length(Location at = Location::current()) const {
        return Value<u32>(
            record(at, {reference_}, [](IrBuilder& ir, Nodes n) { return ir.array_length(n[0]); }));
    }

  protected:
    StorageArray(const Slot& slot, Access access)
        : reference_(bound(slot, AddressSpace::storage, access, Element<Array<T>>::type)) {}
    Spot element(const Index& index, Hold hold) const {
        return detail::element({reference_, hold}, index, 0);
    }

  private:
    Child reference_;
};

/// One T that is read-only.
template <class T>
class ReadOnlyObject;

template <ValueType T>
class ReadOnlyObject<T> : public Operators<T> {
  public:
    explicit ReadOnlyObject(Child reference) : reference_(reference) {}
    auto operator[](const Index& index) const requires VectorType<T> { return place()[index]; }
    auto x(Location at = Location::current()) const { return place().x(at); }
    auto y(Location at = Location::current()) const { return place().y(at); }
    auto z(Location at = Location::current()) const { return place().z(at); }
    auto w(Location at = Location::current()) const { return place().w(at); }
    template <Letters letters>
    auto swizzle(Location at = Location::current()) const {
        return place().template swizzle<letters>(at);
    }
    Child as_child(Location at) const { return load({reference_}, at); }

  private:
    ReadOnlyPlace<T> place() const { return ReadOnlyPlace<T>({reference_, Hold::read_only}); }
    Child reference_;
};

template <ArrayType A>
class ReadOnlyObject<A> : public MatrixOperators<A> {
    using T = typename Element<A>::element;
    static constexpr std::uint32_t N = Element<A>::count;

  public:
    using device_type = A;
    explicit ReadOnlyObject(Child reference) : reference_(reference) {}
    ReadOnly<T> operator[](const Index& index) const {
        return ReadOnly<T>(element({reference_, Hold::read_only}, index, N));
    }
    static constexpr std::uint32_t size() requires(N > 0) { return N; }
    Value<u32> length(Location at = Location::current()) const requires(N == 0) {
        return Object<A>({reference_}).length(at);
    }
    Child as_child(Location at) const { return load({reference_}, at); }

  private:
    Child reference_;
};

template <StructureType T>
class ReadOnlyObject<T> : public Object<T> {
  public:
    explicit ReadOnlyObject(Child reference) : Object<T>({reference, Hold::read_only}) {}
    ReadOnlyObject(const ReadOnlyObject& other) : ReadOnlyObject(spot_of(other, {}).child) {}
};

}  // namespace detail

/// var<storage, read> name: array<T>.
template <ConstructibleType T>
class In : public detail::StorageArray<T> {
  public:
    explicit In(const detail::Slot& slot) : detail::StorageArray<T>(slot, Access::read) {}
    detail::ReadOnly<T> operator[](const detail::Index& index) const {
        return detail::ReadOnly<T>(this->element(index, detail::Hold::read_only));
    }
};

/// var<storage, read_write> name: array<T>; T may be or hold an Atomic.
template <class T>
class InOut : public detail::StorageArray<T> {
  public:
    explicit InOut(const detail::Slot& slot) : detail::StorageArray<T>(slot, Access::read_write) {}
    Place<T> operator[](const detail::Index& index) const {
        return Place<T>(this->element(index, detail::Hold::memory));
    }
};

/// The same binding as an InOut; the name documents that the kernel only writes it.
template <class T>
class Out : public InOut<T> {
  public:
    using InOut<T>::InOut;
};

/// var<storage, read_write> name: T, for any T: a scalar, an Atomic, a structure, an Array<U, N> or Array<U>.
template <class T>
class Storage : public detail::Object<T>, detail::HostShareable<T> {
  public:
    explicit Storage(const detail::Slot& slot)
        : detail::Object<T>(
              {detail::bound(slot, AddressSpace::storage, Access::read_write, detail::Element<T>::type)}) {}
    Storage(const Storage& other) : detail::Object<T>(detail::spot_of(other, {})) {}
    using detail::Object<T>::operator=;
    void operator=(const Storage&) requires(detail::never<T>) = delete;
};

/// var<storage, read> name: T.
template <class T>
class Storage<const T> : public detail::ReadOnlyObject<T>, detail::HostShareable<T> {
    static_assert(!detail::Element<T>::holds_atomic, "an atomic is never only read: declare Storage<T>");

  public:
    explicit Storage(const detail::Slot& slot)
        : detail::ReadOnlyObject<T>(
              detail::bound(slot, AddressSpace::storage, Access::read, detail::Element<T>::type)) {}
    template <class A>
    void operator=(A&&) {
        static_assert(detail::never<A>,
                      "a Storage<const T> is read-only: declare the parameter as Storage<T>");
    }
};

/// var<uniform> name: T. Any use as a value loads it at that point.
template <class T>
class Uniform : public detail::ReadOnlyObject<T>, detail::HostShareable<T> {
    static_assert(ConstructibleType<T>, "a Uniform holds no atomics, and nothing that is sized at run time");

  public:
    explicit Uniform(const detail::Slot& slot)
        : detail::ReadOnlyObject<T>(
              detail::bound(slot, AddressSpace::uniform, Access::read, detail::Element<T>::type)) {}
    template <class A>
    void operator=(A&&) {
        static_assert(detail::never<A>,
                      "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
};

}  // namespace muster::lang
