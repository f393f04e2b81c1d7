// composite.hpp - values of structures, of fixed-size arrays and of matrices.
//
//     Value<Particle> p = particles[i];                         // read here, once
//     Value<f32> m = p.mass;                                    // a member
//     Value<Particle> moved = construct<Particle>(p.position + p.velocity, p.velocity, p.mass);
//     Value<Array<f32, 3>> kernel = construct<Array<f32, 3>>(0.25f, 0.5f, 0.25f);
//     Value<f32> tap = kernel[k];
//
// construct<T>() without operands is zero. A Value can't be modified: to assign to a member, copy it to a Var
// (variable.hpp); kernel() reports an assignment to a Value's member.
#pragma once

#include <muster/foundation/lang/matrix.hpp>

namespace muster::lang {

template <ArrayType A>
class Value<A> : public detail::MatrixOperators<A> {
    static_assert(ConstructibleType<A>, "a Value holds no atomics, and nothing that is sized at run time");
    using Location = detail::Location;
    using T = typename detail::Element<A>::element;
    static constexpr std::uint32_t N = detail::Element<A>::count;

  public:
    using device_type = A;
    template <class G>
    requires(!std::is_same_v<std::remove_cvref_t<G>, Value> && std::is_same_v<detail::value_type_of<G>, A>)
        Value(G&& given, Location at = Location::current())  // NOLINT: implicit by purpose
        : handle_(detail::Operand<A>(std::forward<G>(given), at).child.handle) {}
    explicit Value(detail::Handle handle) : handle_(handle) {}

    Value<T> operator[](const detail::Index& index) const& { return at({handle_, false}, index); }
    Value<T> operator[](const detail::Index& index) && { return at({handle_, true}, index); }
    static constexpr std::uint32_t size() { return N; }

    detail::Child as_child(Location) const& { return {handle_, false}; }
    detail::Child as_child(Location) && { return {handle_, true}; }

  private:
    static Value<T> at(detail::Child whole, const detail::Index& index) {
        return Value<T>(detail::element({whole, detail::Hold::value}, index, N).child.handle);
    }
    detail::Handle handle_;
};

/// Has T's members, which are those of the value.
template <StructureType T>
class Value<T> : public detail::Part, public T {
    static_assert(ConstructibleType<T>, "a Value holds no atomics, and nothing that is sized at run time");
    using Location = detail::Location;

  public:
    using device_type = T;
    template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Value> && std::is_same_v<detail::value_type_of<A>, T>)
        Value(A&& given, Location at = Location::current())  // NOLINT: implicit by purpose
        : Value(detail::Operand<T>(std::forward<A>(given), at).child.handle) {}
    explicit Value(detail::Handle handle) : Part({{handle, false}, detail::Hold::value}), T() {
        detail::adopt(*this, static_cast<T&>(*this));
    }
    Value(const Value& other) : Value(other.as_child({}).handle) {}
    Value& operator=(const Value& other) {
        detail::put(*this, {other.as_child({}), detail::Hold::value});
        return *this;
    }

    detail::Child as_child(Location at) const& { return detail::spot_of(*this, at).child; }
    detail::Child as_child(Location at) && { return detail::spot_of(*this, at, true).child; }
};

namespace detail {

template <class T, class... Parts>
struct ConstructorOf {
    Value<T> operator()() const {
        return Value<T>(known([](IrBuilder& ir) { return ir.zero(Element<T>::type(ir)); }));
    }
    Value<T> operator()(const Operand<Parts>&... parts) const {
        return compute<T>([](IrBuilder& ir, Nodes n) { return ir.compose(Element<T>::type(ir), n); },
                          parts...);
    }
};
template <class T, class = void>
struct Constructor {
    static_assert(never<T>,
                  "construct makes structures, fixed-size arrays and matrices; vec<f32>(...) makes vectors");
};
template <class A, class = std::make_index_sequence<Element<A>::count>>
struct ArrayConstructor;
template <class A, std::size_t... k>
struct ArrayConstructor<A, std::index_sequence<k...>>
    : ConstructorOf<A, std::enable_if_t<(k < Element<A>::count), typename Element<A>::element>...> {};
template <ArrayType A>
struct Constructor<A> : ArrayConstructor<A> {};
template <class T, class = Fields<T>>
struct StructureConstructor;
template <class T, class... F>
struct StructureConstructor<T, std::tuple<F*...>> : ConstructorOf<T, typename FieldOf<F>::type...> {};
template <StructureType T>
struct Constructor<T> : StructureConstructor<T> {};

}  // namespace detail

/// construct<T>(parts...): all members, all elements or all columns, in order; no parts gives zero.
template <class T>
inline constexpr detail::Constructor<T> construct{};

}  // namespace muster::lang
