// place.hpp - a temporary that denotes an array element in memory, or a component of a vector there.
//
//     y[i] = a * x[i] + y[i];           // a place: assigned to, or loaded at this point
//     y[i].x() += 1.0f;
//     Value<f32> v = tile[i];           // loaded here
//
// A place of a scalar or vector can't be kept under a name, so that it is always clear when it is read:
// `auto e = tile[i]; e + 1.0f` doesn't compile, and the error says what to write instead. Places of
// structures, arrays and atomics can be kept: object.hpp.
#pragma once

#include <muster/foundation/lang/composite.hpp>

namespace muster::lang {
namespace detail {
struct Placed;

/// Fails to compile, with advice: see the top of this header.
template <class T>
void use_kept_place() {
    static_assert(
        never<T>,
        "auto v = x[i] names a place in memory, which is neither read nor assigned to by that name: write "
        "Value<f32> v = x[i] to read it there, once, and x[i] = ... to assign");
}
}  // namespace detail

/// An element or component in memory: must be loaded from or assigned to at once.
template <class T>
class Place : public detail::Operators<T> {
    using Location = detail::Location;
    using S = detail::scalar_of<T>;
    using Given = const detail::Operand<T>&;

  public:
    explicit Place(detail::Spot spot) : spot_(spot) {}
    Place(Place&&) = delete;

    void operator=(Given value) && { detail::store<T>(spot_, value); }
    // NOLINTNEXTLINE(performance-noexcept-move-constructor): it records a statement, for which memory may be short
    void operator=(Place&& other) && { detail::store<T>(spot_, detail::Operand<T>(std::move(other))); }
    void operator+=(Given value) && requires NumberType<T> { detail::update<T>(Op::add, spot_, value); }
    void operator-=(Given value) && requires NumberType<T> { detail::update<T>(Op::sub, spot_, value); }
    void operator*=(Given value) && requires NumberType<T> { detail::update<T>(Op::mul, spot_, value); }
    void operator/=(Given value) && requires NumberType<T> { detail::update<T>(Op::div, spot_, value); }
    void operator%=(Given value) && requires NumberType<T> { detail::update<T>(Op::rem, spot_, value); }
    void operator&=(Given value) && requires(IntegerType<T> || BoolType<T>) {
        detail::update<T>(Op::bit_and, spot_, value);
    }
    void operator|=(Given value) && requires(IntegerType<T> || BoolType<T>) {
        detail::update<T>(Op::bit_or, spot_, value);
    }
    void operator^=(Given value) && requires IntegerType<T> { detail::update<T>(Op::bit_xor, spot_, value); }

    // Overloads for a place that was kept: they don't compile.
    void operator=(Given) & { detail::use_kept_place<T>(); }
    void operator+=(Given) & { detail::use_kept_place<T>(); }
    void operator-=(Given) & { detail::use_kept_place<T>(); }
    void operator*=(Given) & { detail::use_kept_place<T>(); }
    void operator/=(Given) & { detail::use_kept_place<T>(); }
    Place<S> operator[](const detail::Index& index) const& requires VectorType<T> { return kept(index); }
    Place<S> x(Location at = Location::current()) const& requires VectorType<T> { return kept({0, at}); }
    Place<S> y(Location at = Location::current()) const& requires VectorType<T> { return kept({0, at}); }
    Place<S> z(Location at = Location::current()) const& requires(detail::Element<T>::width > 2) {
        return kept({0, at});
    }
    Place<S> w(Location at = Location::current()) const& requires(detail::Element<T>::width > 3) {
        return kept({0, at});
    }

    Place<S> operator[](const detail::Index& index) && requires VectorType<T> {
        return Place<S>(detail::element(spot_, index, detail::Element<T>::width));
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
    detail::Child as_child(Location) const& {
        detail::use_kept_place<T>();
        return {};
    }

  private:
    Place<S> kept(const detail::Index&) const {
        detail::use_kept_place<T>();
        return Place<S>(spot_);
    }
    detail::Child as_child_of(Location at) const { return detail::load(spot_, at); }
    Place<S> component(int which, Location at) const {
        return Place<S>(detail::element(spot_, detail::Index(which, at), detail::Element<T>::width));
    }
    friend detail::Placed;
    detail::Spot spot_;
};

/// Gives operations on memory, which load nothing, access to the reference.
struct detail::Placed {
    template <class T>
    static Child child(const Place<T>& place) {
        return place.spot_.child;
    }
};

/// Read-only memory: an element of an In<T>.
template <class T>
class ReadOnlyPlace : public detail::Operators<T> {
    using Location = detail::Location;
    using S = detail::scalar_of<T>;

  public:
    explicit ReadOnlyPlace(detail::Spot spot) : spot_(spot) {}
    ReadOnlyPlace(ReadOnlyPlace&&) = delete;
    template <class A>
    void operator=(A&&) && {
        static_assert(detail::never<A>,
                      "an In or Uniform is read-only: declare the parameter as InOut or Out");
    }
    // Overloads for a place that was kept: they don't compile.
    ReadOnlyPlace<S> operator[](const detail::Index& index) const& requires VectorType<T> {
        return kept(index);
    }
    ReadOnlyPlace<S> x(Location at = Location::current()) const& requires VectorType<T> {
        return kept({0, at});
    }
    ReadOnlyPlace<S> y(Location at = Location::current()) const& requires VectorType<T> {
        return kept({0, at});
    }
    ReadOnlyPlace<S> z(Location at = Location::current()) const& requires(detail::Element<T>::width > 2) {
        return kept({0, at});
    }
    ReadOnlyPlace<S> w(Location at = Location::current()) const& requires(detail::Element<T>::width > 3) {
        return kept({0, at});
    }

    ReadOnlyPlace<S> operator[](const detail::Index& index) && requires VectorType<T> {
        return ReadOnlyPlace<S>(detail::element(spot_, index, detail::Element<T>::width));
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
        return Value<T>(detail::load(spot_, at).handle).template swizzle<letters>(at);
    }
    detail::Child as_child(Location at) && { return detail::load(spot_, at); }
    detail::Child as_child(Location) const& {
        detail::use_kept_place<T>();
        return {};
    }

  private:
    ReadOnlyPlace<S> kept(const detail::Index&) const {
        detail::use_kept_place<T>();
        return ReadOnlyPlace<S>(spot_);
    }
    ReadOnlyPlace<S> component(int which, Location at) const {
        return ReadOnlyPlace<S>(detail::element(spot_, detail::Index(which, at), detail::Element<T>::width));
    }
    detail::Spot spot_;
};

}  // namespace muster::lang
