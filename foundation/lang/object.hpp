// object.hpp - objects in device memory as C++ objects: the common part of variables, parameters and members.
//
//     total += x[i];                            // a scalar or vector: any use as a value loads it at that point
//     particle.mass = 2.0f;                     // a structure has its members, to read and to assign to
//     particle = particles[i];                  // whole structures and arrays, too
//     list.items[k] = list.items.length();      // an array
//     counter.add(1u);                          // an atomic
//     auto e = particles[i];                    // names the place as WGSL's `let e = &particles[i]` does:
//     e.mass = e.mass + 1.0f;                   // i is read once, the members when they are used
//
// An assignment to something read-only doesn't compile if its type shows that, as for an In<T>'s elements;
// otherwise kernel() reports it.
#pragma once

#include <muster/foundation/lang/place.hpp>

namespace muster::lang {
namespace detail {

template <class T>
class Object;

}  // namespace detail

/// Elements of types other than scalars and vectors.
template <class T>
requires(!ValueType<T>) class Place<T> : public detail::Object<T> {
  public:
    explicit Place(detail::Spot spot) : detail::Object<T>(spot) {}
    using detail::Object<T>::operator=;
    // Another Place is an operand like any other.
    void operator=(const Place&) requires(detail::never<T>) = delete;
};

namespace detail {

template <class T>
using ReadOnly = std::conditional_t<ValueType<T>, ReadOnlyPlace<T>, const Place<T>>;

template <ValueType T>
class Object<T> : public Part, public Operators<T> {
    using S = scalar_of<T>;
    using Given = const Operand<T>&;
    static constexpr std::uint32_t width = Element<T>::width;

  public:
    explicit Object(Spot root) : Part(root) {}

    void operator=(const Object&) requires(never<T>) = delete;
    void operator=(Given value) { store<T>(spot_of(*this, value.where), value); }
    void operator=(Given) const {
        static_assert(never<T>, "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
    void operator+=(Given value) requires NumberType<T> { renew(Op::add, value); }
    void operator-=(Given value) requires NumberType<T> { renew(Op::sub, value); }
    void operator*=(Given value) requires NumberType<T> { renew(Op::mul, value); }
    void operator/=(Given value) requires NumberType<T> { renew(Op::div, value); }
    void operator%=(Given value) requires NumberType<T> { renew(Op::rem, value); }
    void operator&=(Given value) requires(IntegerType<T> || BoolType<T>) { renew(Op::bit_and, value); }
    void operator|=(Given value) requires(IntegerType<T> || BoolType<T>) { renew(Op::bit_or, value); }
    void operator^=(Given value) requires IntegerType<T> { renew(Op::bit_xor, value); }

    Place<S> operator[](const Index& index) requires VectorType<T> { return Place<S>(component(index)); }
    Place<S> x(Location at = Location::current()) requires VectorType<T> { return (*this)[{0, at}]; }
    Place<S> y(Location at = Location::current()) requires VectorType<T> { return (*this)[{1, at}]; }
    Place<S> z(Location at = Location::current()) requires(width > 2) { return (*this)[{2, at}]; }
    Place<S> w(Location at = Location::current()) requires(width > 3) { return (*this)[{3, at}]; }
    ReadOnlyPlace<S> operator[](const Index& index) const requires VectorType<T> {
        return ReadOnlyPlace<S>(component(index));
    }
    ReadOnlyPlace<S> x(Location at = Location::current()) const requires VectorType<T> {
        return (*this)[{0, at}];
    }
    ReadOnlyPlace<S> y(Location at = Location::current()) const requires VectorType<T> {
        return (*this)[{1, at}];
    }
    ReadOnlyPlace<S> z(Location at = Location::current()) const requires(width > 2) {
        return (*this)[{2, at}];
    }
    ReadOnlyPlace<S> w(Location at = Location::current()) const requires(width > 3) {
        return (*this)[{3, at}];
    }
    template <Letters letters>
    auto swizzle(Location at = Location::current()) const {
        return Value<T>(as_child(at).handle).template swizzle<letters>(at);
    }

    Child as_child(Location at) const& { return load(spot_of(*this, at), at); }
    Child as_child(Location at) && { return load(spot_of(*this, at, true), at); }

  private:
    void renew(Op op, Given value) { update<T>(op, spot_of(*this, value.where), value); }
    Spot component(const Index& index) const { return element(spot_of(*this, index.where), index, width); }
};

/// An atomic in storage or workgroup memory. Each call is one atomic operation and returns the old value.
template <class S>
class Object<Atomic<S>> : public Part {
    using Given = const Operand<S>&;
    static constexpr bool is_integer = std::is_integral_v<S>;

  public:
    explicit Object(Spot root) : Part(root) {}
    Value<S> load(Location at = Location::current()) {
        return old(detail::effect(at, {place(at)},
                                  [](IrBuilder& ir, Nodes n) { return ir.atomic(Op::atomic_load, n[0]); }));
    }
    void store(Given value) { touch(Op::atomic_store, value); }
    Value<S> add(Given value) { return old(touch(Op::atomic_add, value)); }
    Value<S> sub(Given value) { return old(touch(Op::atomic_sub, value)); }
    Value<S> max(Given value) { return old(touch(Op::atomic_max, value)); }
    Value<S> min(Given value) { return old(touch(Op::atomic_min, value)); }
    Value<S> bit_and(Given value) requires is_integer { return old(touch(Op::atomic_and, value)); }
    Value<S> bit_or(Given value) requires is_integer { return old(touch(Op::atomic_or, value)); }
    Value<S> bit_xor(Given value) requires is_integer { return old(touch(Op::atomic_xor, value)); }
    Value<S> exchange(Given value) { return old(touch(Op::atomic_exchange, value)); }
    /// Stores `value` if the old value is `expected`; never fails spuriously.
    Value<S> compare_exchange(Given expected, Given value) requires is_integer {
        return old(detail::effect(
            value.where, {place(value.where), expected.child, value.child},
            [](IrBuilder& ir, Nodes n) { return ir.atomic(Op::atomic_compare_exchange, n[0], n[2], n[1]); }));
    }

  private:
    NodeId touch(Op op, Given value) {
        return detail::effect(value.where, {place(value.where), value.child},
                              [op](IrBuilder& ir, Nodes n) { return ir.atomic(op, n[0], n[1]); });
    }
    static Value<S> old(NodeId node) { return Value<S>(known(node)); }
    Child place(Location at) const { return spot_of(*this, at).child; }
};

template <ArrayType A>
class Object<A> : public Part, public MatrixOperators<A> {
    using Given = const Operand<A>&;
    using T = typename Element<A>::element;
    static constexpr std::uint32_t N = Element<A>::count;

  public:
    using device_type = A;
    explicit Object(Spot root) : Part(root) {}

    void operator=(const Object&) requires(never<T>) = delete;
    void operator=(Given value) { store<device_type>(spot_of(*this, value.where), value); }
    void operator=(Given) const {
        static_assert(never<T>, "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
    Place<T> operator[](const Index& index) { return Place<T>(at(index)); }
    ReadOnly<T> operator[](const Index& index) const { return ReadOnly<T>(at(index)); }
    static constexpr std::uint32_t size() requires(N > 0) { return N; }
    /// The number of elements that are bound.
    Value<u32> length(Location at = Location::current()) const requires(N == 0) {
        return Value<u32>(record(at, {spot_of(*this, at).child},
                                 [](IrBuilder& ir, Nodes n) { return ir.array_length(n[0]); }));
    }

    Child as_child(Location at) const& { return load(spot_of(*this, at), at); }
    Child as_child(Location at) && { return load(spot_of(*this, at, true), at); }

  private:
    Spot at(const Index& index) const { return element(spot_of(*this, index.where), index, N); }
};

template <StructureType T>
class Object<T> : public Part, public T {
    using Given = const Operand<T>&;

  public:
    using device_type = T;
    explicit Object(Spot root) : Part(root), T() { adopt(*this, static_cast<T&>(*this)); }

    void operator=(const Object&) requires(never<T>) = delete;
    void operator=(Given value) { store<T>(spot_of(*this, value.where), value); }
    void operator=(Given) const {
        static_assert(never<T>, "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }

    Child as_child(Location at) const& { return load(spot_of(*this, at), at); }
    Child as_child(Location at) && { return load(spot_of(*this, at, true), at); }
};

}  // namespace detail

/// A member of a structure (structure.hpp), wherever the structure is.
template <class T, class... Attributes>
class Field : public detail::Object<T> {
  public:
    Field() : detail::Object<T>(detail::Spot{}) {}
    using detail::Object<T>::operator=;
    // Another Field is an operand like any other.
    void operator=(const Field&) requires(detail::never<T>) = delete;
};

}  // namespace muster::lang
