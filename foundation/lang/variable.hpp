// variable.hpp - variables on the device.
//
//     Var<f32> sum = 0.0f;                  // of the invocation, alive in the block where it is made
//     Var<Particle> p = particles[i];       // of a structure: p.mass += 1.0f; particles[i] = p;
//     Var<Array<f32, 16>> window;           // of an array, zero at first
//     Private<f32, 16> history;             // of the invocation as long as it lives: WGSL's var<private>
//     Workgroup<f32, 256> tile;             // shared by the workgroup
//     Workgroup<Atomic<u32>, 16> bins;      // bins[k].add(1u)
//     Workgroup<Bounds> bounds;             // Private and Workgroup are one T, or N of them
//
// What can be done with one: object.hpp.
#pragma once

#include <muster/foundation/lang/object.hpp>

namespace muster::lang {
namespace detail {

/// A new variable; yields its reference. `initial`: of a private one, what it starts as.
Child variable(AddressSpace space, TypeId (*type)(IrBuilder&), Location at, const Child* initial = nullptr);
/// Begins a variable of the function, as zero or as `initial`.
void declare(Child reference, Location at);
void declare(Child reference, Child initial, Location at);

template <class T, std::uint32_t N>
using OneOrArray = std::conditional_t<N == 0, T, Array<T, N == 0 ? 1 : N>>;

}  // namespace detail

/// A variable of the invocation. It begins where it is made, and ends with the block it is made in.
template <class T>
class Var : public detail::Object<T> {
    static_assert(ConstructibleType<T>, "a Var holds no atomics, and nothing that is sized at run time");
    using Location = detail::Location;

  public:
    explicit Var(Location at = Location::current())
        : detail::Object<T>({detail::variable(AddressSpace::function, detail::Element<T>::type, at)}) {
        detail::declare(reference(), at);
    }
    template <detail::OperandFor<T> A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Var>)
        Var(A&& initial, Location at = Location::current())  // NOLINT: implicit by purpose
        : detail::Object<T>(detail::Spot{}) {
        const detail::Operand<T> value(std::forward<A>(initial), at);
        detail::put(*this, {detail::variable(AddressSpace::function, detail::Element<T>::type, at)});
        detail::declare(reference(), value.child, at);
    }
    Var(const Var&) = delete;
    using detail::Object<T>::operator=;
    // Another one is an operand like any other.
    void operator=(const Var&) requires(detail::never<T>) = delete;

  private:
    detail::Child reference() const { return detail::spot_of(*this, {}).child; }
};

/// A T, or N of them, that each invocation has for itself from its begin to its end; zero, or what it is given,
/// at first.
template <class T, std::uint32_t N = 0>
class Private : public detail::Object<detail::OneOrArray<T, N>> {
    using Held = detail::OneOrArray<T, N>;
    static_assert(ConstructibleType<Held>,
                  "a Private holds no atomics, and nothing that is sized at run time");
    using Location = detail::Location;

  public:
    explicit Private(Location at = Location::current())
        : detail::Object<Held>({detail::variable(AddressSpace::private_, detail::Element<Held>::type, at)}) {}
    /// The initial value is made of constants only.
    template <detail::OperandFor<Held> A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Private>)
        Private(A&& initial, Location at = Location::current())  // NOLINT: implicit by purpose
        : detail::Object<Held>(detail::Spot{}) {
        const detail::Operand<Held> value(std::forward<A>(initial), at);
        detail::put(
            *this, {detail::variable(AddressSpace::private_, detail::Element<Held>::type, at, &value.child)});
    }
    Private(const Private&) = delete;
    using detail::Object<Held>::operator=;
    void operator=(const Private&) requires(detail::never<T>) = delete;
};

/// A T, or N of them, that the invocations of a workgroup share; zero at first. T may be or hold an Atomic.
template <class T, std::uint32_t N = 0>
class Workgroup : public detail::Object<detail::OneOrArray<T, N>> {
    using Held = detail::OneOrArray<T, N>;
    static_assert(detail::Element<Held>::is_sized,
                  "workgroup memory holds nothing that is sized at run time");

  public:
    explicit Workgroup(detail::Location at = detail::Location::current())
        : detail::Object<Held>({detail::variable(AddressSpace::workgroup, detail::Element<Held>::type, at)}) {
    }
    Workgroup(const Workgroup&) = delete;
    using detail::Object<Held>::operator=;
    void operator=(const Workgroup&) requires(detail::never<T>) = delete;
};

}  // namespace muster::lang
