// variable.hpp - variables on the device.
//
//     Var<f32> sum = 0.0f;                  // of the invocation, alive in the block where it is made
//     Var<Particle> p = particles[i];       // a structure: p.mass += 1.0f; particles[i] = p;
//     Var<Array<f32, 16>> window;           // an array, initially zero
//     Private<f32, 16> history;             // lives as long as the invocation: WGSL's var<private>
//     Workgroup<f32, 256> tile;             // shared by the workgroup
//     Workgroup<Atomic<u32>, 16> bins;      // bins[k].add(1u)
//     Workgroup<Bounds> bounds;             // Private and Workgroup are one T, or N of them
//
// Operations on variables: object.hpp.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/lang/object.hpp>

namespace muster::lang {
MUSTER_API_BEGIN
namespace detail {

/// Adds a variable and returns its reference. `initial` is the initial value of a private variable.
Child variable(AddressSpace space, TypeId (*type)(IrBuilder&), Location at, const Child* initial = nullptr);
/// Starts a function variable's lifetime with zero or with `initial`.
void declare(Child reference, Location at);
void declare(Child reference, Child initial, Location at);

template <class T, std::uint32_t N>
using OneOrArray = std::conditional_t<N == 0, T, Array<T, N == 0 ? 1 : N>>;

}  // namespace detail

/// A function variable of the invocation. Its lifetime begins where it is made and ends with that block.
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
    // Another Var is an operand like any other.
    void operator=(const Var&) requires(detail::never<T>) = delete;

  private:
    detail::Child reference() const { return detail::spot_of(*this, {}).child; }
};

/// A T, or an array of N, private to each invocation for its whole lifetime; initially
/// zero or the given value.
template <class T, std::uint32_t N = 0>
class Private : public detail::Object<detail::OneOrArray<T, N>> {
    using Stored = detail::OneOrArray<T, N>;
    static_assert(ConstructibleType<Stored>,
                  "a Private holds no atomics, and nothing that is sized at run time");
    using Location = detail::Location;

  public:
    explicit Private(Location at = Location::current())
        : detail::Object<Stored>(
              {detail::variable(AddressSpace::private_, detail::Element<Stored>::type, at)}) {}
    /// The initial value must consist of constants.
    template <detail::OperandFor<Stored> A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Private>)
        Private(A&& initial, Location at = Location::current())  // NOLINT: implicit by purpose
        : detail::Object<Stored>(detail::Spot{}) {
        const detail::Operand<Stored> value(std::forward<A>(initial), at);
        detail::put(*this, {detail::variable(AddressSpace::private_, detail::Element<Stored>::type, at,
                                             &value.child)});
    }
    Private(const Private&) = delete;
    using detail::Object<Stored>::operator=;
    void operator=(const Private&) requires(detail::never<T>) = delete;
};

/// A T, or an array of N, shared by the invocations of a workgroup; initially zero. T may be or contain an
/// Atomic.
template <class T, std::uint32_t N = 0>
class Workgroup : public detail::Object<detail::OneOrArray<T, N>> {
    using Stored = detail::OneOrArray<T, N>;
    static_assert(detail::Element<Stored>::is_sized,
                  "workgroup memory holds nothing that is sized at run time");

  public:
    explicit Workgroup(detail::Location at = detail::Location::current())
        : detail::Object<Stored>(
              {detail::variable(AddressSpace::workgroup, detail::Element<Stored>::type, at)}) {}
    Workgroup(const Workgroup&) = delete;
    using detail::Object<Stored>::operator=;
    void operator=(const Workgroup&) requires(detail::never<T>) = delete;
};

MUSTER_API_END
}  // namespace muster::lang
