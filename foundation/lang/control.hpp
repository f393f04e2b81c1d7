// control.hpp - control flow on the device, and barriers. C++'s own if and for select and repeat what is
// recorded.
//
//     if_(i < n, [&] { ... }).else_if_(i == n, [&] { ... }).else_([&] { ... });
//     for_(0u, n, [&](auto& k) { sum += x[k]; });             // k is a Var<u32>
//     for_(Var<i32>(8), [&](auto& k) { return k > 0; }, [&](auto& k) { k -= 2; }, [&](auto& k) { ... });
//     while_([&] { return sum < 10.0f; }, [&] { ... });
//     loop_([&] { ... if_(done, [&] { break_(); }); ... });
//     loop_([&] { ... }, [&] { ...; break_if_(i == n); });    // with a continuing block
//     switch_(mode, case_(1, [&] { ... }), case_({2, 3}, [&] { ... }), default_([&] { ... }));
//
// break_, continue_ and return_ act as in WGSL; operations recorded after them in their block are dropped.
#pragma once

#include <exception>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include <muster/foundation/lang/variable.hpp>

namespace muster::lang {
namespace detail {

/// Flushes the recorder, then changes the builder's control flow.
template <class Action>
void control(Location at, Action action) {
    effect(at, {}, [&action](IrBuilder& ir, Nodes) {
        action(ir);
        return NodeId{};
    });
}

/// Leaves the innermost loop if the condition is false.
inline void leave_unless(const Operand<bool>& condition) {
    effect(condition.where, {condition.child}, [](IrBuilder& ir, Nodes n) {
        ir.begin_if(ir.unary(Op::logical_not, n[0]));
        ir.break_();
        ir.end_if();
        return NodeId{};
    });
}

}  // namespace detail

/// The result of if_; an else may follow it in the same statement.
class If {
    using Location = detail::Location;

  public:
    template <class Then>
    If(const detail::Operand<bool>& condition, Then&& then) : where_(condition.where) {
        begin(condition, std::forward<Then>(then));
    }
    If(const If&) = delete;
    If& operator=(const If&) = delete;
    /// Ends the branches, for which memory may be short: then std::bad_alloc, as from every other statement.
    /// Does nothing while an exception of the statement itself is on its way.
    ~If() noexcept(false) {
        if (std::uncaught_exceptions() > exceptions_) return;
        for (; open_ > 0; --open_) detail::control(where_, [](IrBuilder& ir) { ir.end_if(); });
    }

    template <class Then>
    If&& else_if_(const detail::Operand<bool>& condition, Then&& then) && {
        begin(condition, std::forward<Then>(then));
        return std::move(*this);
    }
    template <class Else>
    void else_(Else&& otherwise) && {
        std::forward<Else>(otherwise)();
    }

  private:
    // Records the branch, then opens the else block, which may stay empty.
    template <class Then>
    void begin(const detail::Operand<bool>& condition, Then&& then) {
        detail::effect(condition.where, {condition.child}, [](IrBuilder& ir, detail::Nodes n) {
            ir.begin_if(n[0]);
            return NodeId{};
        });
        std::forward<Then>(then)();
        detail::control(condition.where, [](IrBuilder& ir) { ir.begin_else(); });
        ++open_;
    }

    Location where_;
    int open_ = 0;
    int exceptions_ = std::uncaught_exceptions();
};

template <class Then>
If if_(const detail::Operand<bool>& condition, Then&& then) {
    return If(condition, std::forward<Then>(then));
}

/// Repeats the body until a statement in it leaves the loop.
template <class Body>
void loop_(Body&& body, detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.begin_loop(); });
    std::forward<Body>(body)();
    detail::control(at, [](IrBuilder& ir) { ir.end_loop(); });
}
/// The continuing block runs after each iteration, also after continue_; it may end in break_if_.
template <class Body, class Continuing>
requires std::is_invocable_v<Continuing>
void loop_(Body&& body, Continuing&& continuing, detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.begin_loop(); });
    std::forward<Body>(body)();
    detail::control(at, [](IrBuilder& ir) { ir.begin_continuing(); });
    std::forward<Continuing>(continuing)();
    detail::control(at, [](IrBuilder& ir) { ir.end_loop(); });
}

template <class Condition, class Body>
void while_(Condition&& condition, Body&& body, detail::Location at = detail::Location::current()) {
    loop_(
        [&] {
            detail::leave_unless(detail::Operand<bool>(condition(), at));
            body();
        },
        at);
}

/// C++'s for: the variable, the condition before each iteration, the update after it, the body; each function
/// receives the variable.
template <class T, class Condition, class Update, class Body>
void for_(Var<T>&& variable, Condition&& condition, Update&& update, Body&& body,
          detail::Location at = detail::Location::current()) {
    loop_(
        [&] {
            detail::leave_unless(detail::Operand<bool>(condition(variable), at));
            body(variable);
        },
        [&] { update(variable); }, at);
}

/// for (var k = first; k < end; k++) { body(k) }: k has the type of `first`, u32 or i32. An `end` that is a
/// Var or a Uniform is read before each iteration.
template <class First, class End, class Body>
requires(!std::is_invocable_v<End, Var<u32>&>) void for_(First&& first, const End& end, Body&& body,
                                                         detail::Location at = detail::Location::current()) {
    using Device = detail::value_type_of<First>;
    using T = std::conditional_t<std::is_void_v<Device>, std::remove_cvref_t<First>, Device>;
    static_assert(std::is_same_v<T, u32> || std::is_same_v<T, i32>, "for_ counts in u32 (0u) or i32 (0)");
    for_(
        Var<T>(std::forward<First>(first), at), [&](Var<T>& k) { return k < end; },
        [&](Var<T>& k) { k += detail::Operand<T>(1, at); }, std::forward<Body>(body), at);
}

template <class Body>
struct Case {
    std::vector<u32> selectors;
    bool is_default;
    Body body;
};
template <class Body>
Case<Body> case_(std::int64_t selector, Body body) {
    return {{static_cast<u32>(selector)}, false, std::move(body)};
}
template <class Body>
Case<Body> case_(std::initializer_list<std::int64_t> selectors, Body body) {
    std::vector<u32> words;
    for (const std::int64_t selector : selectors) words.push_back(static_cast<u32>(selector));
    return {std::move(words), false, std::move(body)};
}
template <class Body>
Case<Body> default_(Body body) {
    return {{}, true, std::move(body)};
}

/// Runs the case that lists the selector's value, else the default. Cases don't fall through.
template <class... Bodies>
void switch_(const detail::Index& selector, Case<Bodies>... cases) {
    detail::effect(selector.where, {selector.child}, [](IrBuilder& ir, detail::Nodes n) {
        ir.begin_switch(n[0]);
        return NodeId{};
    });
    const auto one = [&](auto& each) {
        detail::control(selector.where,
                        [&](IrBuilder& ir) { ir.begin_case(each.selectors, each.is_default); });
        each.body();
    };
    (one(cases), ...);
    if (!(cases.is_default || ...))
        detail::control(selector.where, [](IrBuilder& ir) { ir.begin_case({}, true); });
    detail::control(selector.where, [](IrBuilder& ir) { ir.end_switch(); });
}

inline void break_(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.break_(); });
}
inline void continue_(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.continue_(); });
}
inline void return_(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.return_(); });
}
/// Leaves the loop if the condition is true. Only as the last statement of a continuing block.
inline void break_if_(const detail::Operand<bool>& condition) {
    detail::effect(condition.where, {condition.child}, [](IrBuilder& ir, detail::Nodes n) {
        ir.break_if(n[0]);
        return NodeId{};
    });
}

/// Every invocation waits here for the others of its workgroup, and then sees what they wrote to workgroup
/// memory (storage_barrier: to storage). Only in uniform control flow.
inline void workgroup_barrier(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.barrier(Op::workgroup_barrier); });
}
inline void storage_barrier(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.barrier(Op::storage_barrier); });
}

}  // namespace muster::lang
