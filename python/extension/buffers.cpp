// Buffers of muster's, and what is done with them without a kernel.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/array.hpp>
#include <muster/python/extension/elements.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

Ref made(const Given& given, muster_buffer_options options) {
    const muster_session session{id_of(given[0])};
    options.flags = MUSTER_BUFFER_SHAREABLE;
    muster_buffer buffer;
    check(api().buffer_create(session, &options, &buffer));
    return handle(buffer.id);
}
Ref buffer_create(const Given& given) {
    auto options = sized<muster_buffer_options>();
    options.bytes = number_of(given[1]);
    options.element = small_number_of(given[2]);
    return made(given, options);
}
Ref buffer_copy(const Given& given) {
    const Contents contents(given[1]);
    auto options = sized<muster_buffer_options>();
    options.bytes = contents.size();
    options.from = options.bytes > 0 ? contents.view().buf : nullptr;
    options.element = small_number_of(given[2]);
    return made(given, options);
}
/// Shares the memory of a writable object that is aligned.
Ref buffer_over(const Given& given) {
    const muster_session session{id_of(given[0])};
    Lent* const lent = lend(given[1]);
    auto options = sized<muster_buffer_options>();
    options.bytes = static_cast<std::uint64_t>(lent->view.len);
    options.element = small_number_of(given[2]);
    options.over = lent->view.buf;
    options.release = give_back;
    options.user = lent;
    muster_buffer buffer;
    const bool is_usable = lent->view.readonly == 0 && PyBuffer_IsContiguous(&lent->view, 'C') != 0;
    const muster_status status = is_usable ? api().buffer_create(session, &options, &buffer) : MUSTER_NONE;
    if (status != MUSTER_OK) take_back(lent);
    if (check(status) == MUSTER_NONE)
        raise_error("refused",
                    "The memory can't be shared, because it is read-only or isn't contiguous, and a copy "
                    "isn't allowed.",
                    "let it be copied, which is what asarray does unless told otherwise");
    return handle(buffer.id);
}
/// (element, bytes of an element) of an object with the buffer protocol, and its shape; None if muster has no
/// such element.
Ref describe(const Given& given) {
    const Contents contents(given[0], PyBUF_STRIDES | PyBUF_FORMAT);
    const Py_buffer& view = contents.view();
    const auto element = element_of(view.format, view.itemsize);
    if (!element) return none();
    const Ref shape = tuple_of(static_cast<std::size_t>(view.ndim),
                               [&](std::size_t i) { return Ref::made(PyLong_FromSsize_t(view.shape[i])); });
    return Ref::made(PyTuple_Pack(3, number(*element).get(),
                                  number(static_cast<unsigned long long>(view.itemsize)).get(), shape.get()));
}

Ref copy(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_range from = range_of(given[1]), to = range_of(given[2]);
    muster_ticket ticket;
    check(waiting([&] { return api().copy(session, &from, &to, &ticket); }));
    return ticket_of(ticket, nullptr);
}
Ref fill(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_range range = range_of(given[1]);
    const std::uint32_t word = small_number_of(given[2]);
    check(waiting([&] { return api().fill(session, &range, word, nullptr); }));
    return none();
}
/// (a buffer's handle, the ticket of the copy)
Ref snapshot(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_range range = range_of(given[1]);
    muster_buffer buffer;
    muster_ticket ticket;
    check(waiting([&] { return api().snapshot(session, &range, &buffer, &ticket); }));
    const Ref made = handle(buffer.id);
    return Ref::made(PyTuple_Pack(2, made.get(), ticket_of(ticket, nullptr).get()));
}

}  // namespace

void add_buffer_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<buffer_create>("buffer_create", "buffer_create(session, bytes, element): zeros"),
        method<buffer_copy>("buffer_copy", "buffer_copy(session, object, element): a copy of its bytes"),
        method<buffer_over>("buffer_over", "buffer_over(session, object, element): its memory itself"),
        method<describe>("describe", "describe(object): element, bytes of one, shape"),
        method<copy>("copy", "copy(session, from, to)"),
        method<fill>("fill", "fill(session, array, word)"),
        method<snapshot>("snapshot", "snapshot(session, array): a buffer with its bytes, a ticket"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
