// place.hpp - memory on the device: places, variables, arrays, atomics.
//
//     Var<f32> sum = 0.0f;              // a variable of the invocation, alive in the block where it is made
//     sum += x[i];                      // reading a Var or an element loads it there and then
//     Private<f32, 16> history;         // an array of the invocation, zero at first
//     Workgroup<f32, 256> tile;         // shared by the workgroup
//     Workgroup<Atomic<u32>, 16> bins;  // bins[k].add(1u)
//
// An element, tile[i], is a place: load it into a Value (Value<f32> v = tile[i];), assign to it, or use it in
// an expression. It can't be kept under a name (auto e = tile[i]; e + 1.0f doesn't compile), so that it is
// never unclear when it is read.
#pragma once

#include <string>

#include <muster/foundation/lang/value.hpp>

namespace muster::lang {
namespace detail {

inline NodeId step(IrBuilder& ir, Nodes n) { return ir.ref_index(n[0], n[1]); }
inline NodeId read(IrBuilder& ir, Nodes n) { return ir.load(n[0]); }
inline NodeId write(IrBuilder& ir, Nodes n) { return ir.store(n[0], n[1]); }

inline Child element(Child whole, const Index& index) {
    return {record(index.where, {whole, index.child}, step), true};
}
inline Child load(Child place, Location at) { return {record(at, {place}, read), true}; }
template <class T>
void store(Child place, const Operand<T>& value) {
    effect(value.where, {place, value.child}, write);
}

/// place = place op value; the place is found once, then read, then the value is made.
template <class T>
void update(Op op, Child place, const Operand<T>& value) {
    const Child old = load({place.handle, true}, value.where);
    const Child made{record(value.where, {old, value.child},
                            [op](IrBuilder& ir, Nodes n) { return ir.binary(op, n[0], n[1]); }),
                     true};
    effect(value.where, {{place.handle, true}, made}, write);
}

/// A new variable; yields its reference.
template <class T>
Child variable(AddressSpace space, Location at) {
    Recorder* const recorder = Recorder::current();
    if (recorder == nullptr) return {};
    recorder->flush();
    recorder->at(at);
    IrBuilder& ir = recorder->ir();
    Variable made;
    made.type = Element<T>::type(ir);
    made.space = space;
    made.location = ir.here();
    const VariableId id = ir.variable(std::move(made));
    return {recorder->known(ir.ref(id)), false};
}
inline void declare(Child reference, Child initial, Location at) {
    effect(at, {reference, initial},
           [](IrBuilder& ir, Nodes n) { return ir.declare(VariableId{ir.node(n[0]).payload}, n[1]); });
}
inline void declare(Child reference, Location at) {
    effect(at, {reference},
           [](IrBuilder& ir, Nodes n) { return ir.declare(VariableId{ir.node(n[0]).payload}); });
}

}  // namespace detail

/// An element or component in memory: loaded from, or assigned to, at once.
template <class T>
class Place : public detail::Operators<T> {
    using Location = detail::Location;
    using S = detail::scalar_of<T>;
    using Given = const detail::Operand<T>&;

  public:
    explicit Place(detail::Child reference) : reference_(reference) {}
    Place(Place&&) = delete;

    void operator=(Given value) && { detail::store<T>(reference_, value); }
    void operator=(Place&& other) && { detail::store<T>(reference_, detail::Operand<T>(std::move(other))); }
    void operator+=(Given value) && requires NumberType<T> { detail::update<T>(Op::add, reference_, value); }
    void operator-=(Given value) && requires NumberType<T> { detail::update<T>(Op::sub, reference_, value); }
    void operator*=(Given value) && requires NumberType<T> { detail::update<T>(Op::mul, reference_, value); }
    void operator/=(Given value) && requires NumberType<T> { detail::update<T>(Op::div, reference_, value); }
    void operator%=(Given value) && requires NumberType<T> { detail::update<T>(Op::rem, reference_, value); }
    void operator&=(Given value) && requires(!FloatType<T>) {
        detail::update<T>(Op::bit_and, reference_, value);
    }
    void operator|=(Given value) && requires(!FloatType<T>) {
        detail::update<T>(Op::bit_or, reference_, value);
    }
    void operator^=(Given value) && requires IntegerType<T> {
        detail::update<T>(Op::bit_xor, reference_, value);
    }

    Place<S> operator[](const detail::Index& index) && requires VectorType<T> {
        return Place<S>(detail::element(reference_, index));
    }
    Place<S> x(Location at = Location::current()) && requires VectorType<T> { return component(0, at); }
    Place<S> y(Location at = Location::current()) && requires VectorType<T> { return component(1, at); }
    Place<S> z(Location at = Location::current()) && requires(detail::Element<T>::width > 2) {
        return component(2, at);
    }
    Place<S> w(Location at = Location::current()) && requires(detail::Element<T>::width > 3) {
        return component(3, at);
    }
    template <detail::Letters letters>
    auto swizzle(Location at = Location::current()) && {
        return Value<T>(as_child_of(at).handle).template swizzle<letters>(at);
    }

    detail::Child as_child(Location at) && { return as_child_of(at); }
    detail::Child as_child(Location at) const& = delete;  // name a Value instead: see the top of this header

  private:
    detail::Child as_child_of(Location at) const { return detail::load(reference_, at); }
    Place<S> component(int which, Location at) const {
        return Place<S>(detail::element(reference_, detail::Index(which, at)));
    }
    detail::Child reference_;
};

/// Memory that is only read: an element of an In<T>.
template <class T>
class ReadOnlyPlace : public detail::Operators<T> {
    using Location = detail::Location;
    using S = detail::scalar_of<T>;

  public:
    explicit ReadOnlyPlace(detail::Child reference) : reference_(reference) {}
    ReadOnlyPlace(ReadOnlyPlace&&) = delete;
    template <class A>
    void operator=(A&&) && {
        static_assert(detail::never<A>,
                      "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
    ReadOnlyPlace<S> operator[](const detail::Index& index) && requires VectorType<T> {
        return ReadOnlyPlace<S>(detail::element(reference_, index));
    }
    ReadOnlyPlace<S> x(Location at = Location::current()) && requires VectorType<T> {
        return component(0, at);
    }
    ReadOnlyPlace<S> y(Location at = Location::current()) && requires VectorType<T> {
        return component(1, at);
    }
    ReadOnlyPlace<S> z(Location at = Location::current()) && requires(detail::Element<T>::width > 2) {
        return component(2, at);
    }
    ReadOnlyPlace<S> w(Location at = Location::current()) && requires(detail::Element<T>::width > 3) {
        return component(3, at);
    }
    template <detail::Letters letters>
    auto swizzle(Location at = Location::current()) && {
        return Value<T>(detail::load(reference_, at).handle).template swizzle<letters>(at);
    }
    detail::Child as_child(Location at) && { return detail::load(reference_, at); }
    detail::Child as_child(Location at) const& = delete;

  private:
    ReadOnlyPlace<S> component(int which, Location at) const {
        return ReadOnlyPlace<S>(detail::element(reference_, detail::Index(which, at)));
    }
    detail::Child reference_;
};

/// An atomic in storage or workgroup memory. Each call is one atomic operation and yields the old value.
template <class S>
class Place<Atomic<S>> {
    using Location = detail::Location;
    using Given = const detail::Operand<S>&;

  public:
    explicit Place(detail::Child reference) : reference_(reference) {}
    Place(Place&&) = delete;
    Value<S> load(Location at = Location::current()) && {
        return old(detail::effect(at, {reference_}, [](IrBuilder& ir, detail::Nodes n) {
            return ir.atomic(Op::atomic_load, n[0]);
        }));
    }
    void store(Given value) && { touch(Op::atomic_store, value); }
    Value<S> add(Given value) && { return old(touch(Op::atomic_add, value)); }
    Value<S> sub(Given value) && { return old(touch(Op::atomic_sub, value)); }
    Value<S> max(Given value) && { return old(touch(Op::atomic_max, value)); }
    Value<S> min(Given value) && { return old(touch(Op::atomic_min, value)); }
    Value<S> bit_and(Given value) && { return old(touch(Op::atomic_and, value)); }
    Value<S> bit_or(Given value) && { return old(touch(Op::atomic_or, value)); }
    Value<S> bit_xor(Given value) && { return old(touch(Op::atomic_xor, value)); }
    Value<S> exchange(Given value) && { return old(touch(Op::atomic_exchange, value)); }
    /// Stores `value` where the old value is `expected`; it never fails spuriously.
    Value<S> compare_exchange(Given expected, Given value) && {
        return old(detail::effect(value.where, {reference_, expected.child, value.child},
                                  [](IrBuilder& ir, detail::Nodes n) {
                                      return ir.atomic(Op::atomic_compare_exchange, n[0], n[2], n[1]);
                                  }));
    }

  private:
    NodeId touch(Op op, Given value) {
        return detail::effect(value.where, {reference_, value.child},
                              [op](IrBuilder& ir, detail::Nodes n) { return ir.atomic(op, n[0], n[1]); });
    }
    static Value<S> old(NodeId node) { return Value<S>(detail::known(node)); }
    detail::Child reference_;
};

/// A variable of the invocation. It begins where it is made, and ends with the block it is made in.
template <class T>
class Var : public detail::Operators<T> {
    using Location = detail::Location;
    using S = detail::scalar_of<T>;
    using Given = const detail::Operand<T>&;

  public:
    explicit Var(Location at = Location::current())
        : reference_(detail::variable<T>(AddressSpace::function, at)) {
        detail::declare(reference_, at);
    }
    template <detail::OperandFor<T> A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Var>)
        Var(A&& initial, Location at = Location::current()) {  // NOLINT: implicit by purpose
        const detail::Operand<T> value(std::forward<A>(initial), at);
        reference_ = detail::variable<T>(AddressSpace::function, at);
        detail::declare(reference_, value.child, at);
    }
    Var(const Var&) = delete;

    void operator=(Given value) { detail::store<T>(reference_, value); }
    void operator=(const Var&) requires(!ValueType<T>) = delete;  // another Var is an operand like any other
    void operator+=(Given value) requires NumberType<T> { detail::update<T>(Op::add, reference_, value); }
    void operator-=(Given value) requires NumberType<T> { detail::update<T>(Op::sub, reference_, value); }
    void operator*=(Given value) requires NumberType<T> { detail::update<T>(Op::mul, reference_, value); }
    void operator/=(Given value) requires NumberType<T> { detail::update<T>(Op::div, reference_, value); }
    void operator%=(Given value) requires NumberType<T> { detail::update<T>(Op::rem, reference_, value); }
    void operator&=(Given value) requires(!FloatType<T>) {
        detail::update<T>(Op::bit_and, reference_, value);
    }
    void operator|=(Given value) requires(!FloatType<T>) { detail::update<T>(Op::bit_or, reference_, value); }
    void operator^=(Given value) requires IntegerType<T> {
        detail::update<T>(Op::bit_xor, reference_, value);
    }

    Place<S> operator[](const detail::Index& index) requires VectorType<T> {
        return Place<S>(detail::element(reference_, index));
    }
    Place<S> x(Location at = Location::current()) requires VectorType<T> { return component(0, at); }
    Place<S> y(Location at = Location::current()) requires VectorType<T> { return component(1, at); }
    Place<S> z(Location at = Location::current()) requires(detail::Element<T>::width > 2) {
        return component(2, at);
    }
    Place<S> w(Location at = Location::current()) requires(detail::Element<T>::width > 3) {
        return component(3, at);
    }
    template <detail::Letters letters>
    auto swizzle(Location at = Location::current()) const {
        return Value<T>(detail::load(reference_, at).handle).template swizzle<letters>(at);
    }

    detail::Child as_child(Location at) const { return detail::load(reference_, at); }
    detail::Child reference() const { return reference_; }

  private:
    Place<S> component(int which, Location at) const {
        return Place<S>(detail::element(reference_, detail::Index(which, at)));
    }
    detail::Child reference_;
};

/// N elements that each invocation has for itself, zero at first.
template <ValueType T, std::uint32_t N>
class Private {
  public:
    explicit Private(detail::Location at = detail::Location::current())
        : reference_(detail::variable<Array<T, N>>(AddressSpace::function, at)) {
        detail::declare(reference_, at);
    }
    Private(const Private&) = delete;
    Place<T> operator[](const detail::Index& index) { return Place<T>(detail::element(reference_, index)); }
    static constexpr std::uint32_t size() { return N; }

  private:
    detail::Child reference_;
};

/// N elements, of values or atomics, that the invocations of a workgroup share; zero at first.
template <class T, std::uint32_t N>
class Workgroup {
  public:
    explicit Workgroup(detail::Location at = detail::Location::current())
        : reference_(detail::variable<Array<T, N>>(AddressSpace::workgroup, at)) {}
    Workgroup(const Workgroup&) = delete;
    Place<T> operator[](const detail::Index& index) { return Place<T>(detail::element(reference_, index)); }
    static constexpr std::uint32_t size() { return N; }

  private:
    detail::Child reference_;
};

}  // namespace muster::lang
