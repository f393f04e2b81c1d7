// Sequences.
#include <muster/c/dispatch.hpp>
#include <muster/c/objects.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {

Answer<Property> SequenceObject::ask(std::int32_t property) const {
    if (property == MUSTER_STEPS) return number(sequence.size());
    return no_property(property);
}

void add_sequences(muster_api& api) {
    api.sequence_create = [](muster_session session, muster_sequence* sequence) {
        return call([&]() -> Answer<void> {
            if (sequence == nullptr) return null_pointer("sequence");
            const auto by = TRY(get<SessionObject>(session.id));
            return give_handle(sequence, std::make_shared<SequenceObject>(by, by->session.sequence()));
        });
    };
    api.sequence_dispatch = [](muster_sequence sequence, muster_kernel kernel,
                               const muster_dispatch* dispatch) {
        return call([&]() -> Answer<void> {
            const auto to = TRY(get<SequenceObject>(sequence.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            AskedDispatch asked;
            TRY(read_dispatch(dispatch, asked));
            TRY(to->sequence.dispatch(what->kernel, asked.all(), TRY(plain_grid(asked))));
            return {};
        });
    };
    api.sequence_dispatch_bound = [](muster_sequence sequence, muster_bound bound,
                                     const muster_dispatch* dispatch) {
        return call([&]() -> Answer<void> {
            const auto to = TRY(get<SequenceObject>(sequence.id));
            const auto what = TRY(get<BoundObject>(bound.id));
            TRY(to->sequence.dispatch(what->bound, TRY(grid_alone(dispatch))));
            return {};
        });
    };
    api.sequence_copy = [](muster_sequence sequence, const muster_range* from, const muster_range* to) {
        return call([&]() -> Answer<void> {
            const auto into = TRY(get<SequenceObject>(sequence.id));
            TRY(into->sequence.copy(TRY(read_range(from)), TRY(read_range(to))));
            return {};
        });
    };
    api.sequence_fill = [](muster_sequence sequence, const muster_range* range, std::uint32_t word) {
        return call([&]() -> Answer<void> {
            const auto into = TRY(get<SequenceObject>(sequence.id));
            TRY(into->sequence.fill(TRY(read_range(range)), word));
            return {};
        });
    };
    api.sequence_submit = [](muster_sequence sequence, muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            return give_ticket(ticket, TRY(TRY(get<SequenceObject>(sequence.id))->sequence.submit()));
        });
    };
}

}  // namespace muster::c
