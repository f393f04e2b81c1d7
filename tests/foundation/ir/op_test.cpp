#include <doctest/doctest.h>

#include <muster/foundation/ir/op_kind.hpp>

namespace muster {

TEST_CASE("An operation's kind says no other than its group") {
    const auto group_of = [](OpKind kind) {
        switch (kind) {
            case OpKind::free: return OpGroup::free;
            case OpKind::composite:
            case OpKind::arithmetic:
            case OpKind::comparison:
            case OpKind::logic:
            case OpKind::bits:
            case OpKind::conversion: return OpGroup::exact;
            case OpKind::packed: return OpGroup::packed;
            case OpKind::math: return OpGroup::math;
            case OpKind::memory: return OpGroup::memory;
            case OpKind::atomic: return OpGroup::atomic;
            case OpKind::control: return OpGroup::control;
            case OpKind::sync: return OpGroup::sync;
            case OpKind::exchange:
            case OpKind::reduction:
            case OpKind::prefix: return OpGroup::subgroup;
            case OpKind::extension: break;
        }
        return OpGroup::extension;
    };
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op{static_cast<std::uint8_t>(i)};
        CHECK_MESSAGE(group_of(kind(op)) == info(op).group, info(op).name);
    }
}

}  // namespace muster
