// field_pointers.hpp - pointers to the fields of a plain C++ struct. The fields are counted by trying
// initialisers and reached by structured bindings, of which C++23 needs one for each number of
// fields. Internal to lang.
#pragma once

#include <cstddef>
#include <tuple>

namespace muster::lang::detail {

inline constexpr std::size_t max_fields = 32;

/// Converts to any field type.
struct Anything {
    template <class One>
    operator One() const;  // NOLINT: implicit by purpose
};

/// Counts T's fields; stops beyond max_fields.
template <class T, class... Given>
consteval std::size_t field_count() {
    if constexpr (sizeof...(Given) > max_fields)
        return sizeof...(Given);
    else if constexpr (requires { T{Given{}..., Anything{}}; })
        return field_count<T, Given..., Anything>();
    else
        return sizeof...(Given);
}

template <class... One>
constexpr std::tuple<One*...> pointers(One&... field) {
    return {&field...};
}

/// Pointers to the fields, in order. Precondition: an aggregate with 1 to max_fields fields and no base.
template <class T>
constexpr auto fields(T& of) {
    constexpr std::size_t n = field_count<T>();
    static_assert(n <= max_fields, "a structure has at most 32 members: nest some in another");
    if constexpr (n == 1) {
        auto& [a] = of;
        return pointers(a);
    }
    if constexpr (n == 2) {
        auto& [a, b] = of;
        return pointers(a, b);
    }
    if constexpr (n == 3) {
        auto& [a, b, c] = of;
        return pointers(a, b, c);
    }
    if constexpr (n == 4) {
        auto& [a, b, c, d] = of;
        return pointers(a, b, c, d);
    }
    if constexpr (n == 5) {
        auto& [a, b, c, d, e] = of;
        return pointers(a, b, c, d, e);
    }
    if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = of;
        return pointers(a, b, c, d, e, f);
    }
    if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = of;
        return pointers(a, b, c, d, e, f, g);
    }
    if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = of;
        return pointers(a, b, c, d, e, f, g, h);
    }
    if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = of;
        return pointers(a, b, c, d, e, f, g, h, i);
    }
    if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j);
    }
    if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k);
    }
    if constexpr (n == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l);
    }
    if constexpr (n == 13) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m);
    }
    if constexpr (n == 14) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    }
    if constexpr (n == 15) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    }
    if constexpr (n == 16) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    }
    if constexpr (n == 17) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    }
    if constexpr (n == 18) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    }
    if constexpr (n == 19) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
    }
    if constexpr (n == 20) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
    }
    if constexpr (n == 21) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
    }
    if constexpr (n == 22) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
    }
    if constexpr (n == 23) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
    }
    if constexpr (n == 24) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    }
    if constexpr (n == 25) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
    }
    if constexpr (n == 26) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
    }
    if constexpr (n == 27) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A);
    }
    if constexpr (n == 28) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B);
    }
    if constexpr (n == 29) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B,
                        C);
    }
    if constexpr (n == 30) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C,
                        D);
    }
    if constexpr (n == 31) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E] =
            of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C,
                        D, E);
    }
    if constexpr (n == 32) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E,
               F] = of;
        return pointers(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C,
                        D, E, F);
    }
}

}  // namespace muster::lang::detail
