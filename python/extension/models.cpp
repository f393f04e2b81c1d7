// Models and their tensors.
#include <deque>
#include <vector>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/elements.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

/// tensor_create(object): a tensor over the memory of an object with the buffer protocol, C-contiguous.
Ref tensor_create(const Given& given) {
    Lent* const lent = lend(given[0]);
    const Py_buffer& view = lent->view;
    const auto element = element_of(view.format, view.itemsize);
    std::vector<std::int64_t> sizes(view.shape, view.shape + view.ndim);
    auto options = sized<muster_tensor_options>();
    options.element = element.value_or(MUSTER_BYTES);
    options.sizes = sizes.data();
    options.rank = sizes.size();
    options.data = view.buf;
    options.bytes = static_cast<std::uint64_t>(view.len);
    options.release = give_back;
    options.user = lent;
    muster_tensor tensor;
    const bool is_usable = element && PyBuffer_IsContiguous(&view, 'C') != 0;
    const muster_status status = is_usable ? api().tensor_create(&options, &tensor) : MUSTER_NONE;
    if (status != MUSTER_OK) take_back(lent);
    if (check(status) == MUSTER_NONE) raise(PyExc_ValueError, "a contiguous array of numbers is expected");
    return handle(tensor.id);
}

/// A tuple (name, number or tensor).
muster_model_constant constant_of(const Items& pair) {
    auto constant = sized<muster_model_constant>();
    constant.name = text_of(pair[0]);
    if (PyLong_Check(pair[1]) != 0)
        constant.number = static_cast<std::int64_t>(number_of(pair[1]));
    else
        constant.tensor = {id_of(pair[1])};
    return constant;
}

/// model_open(session, path or bytes, folder, compile, constants). The caller keeps the bytes as long as the
/// model.
Ref model_open(const Given& given) {
    const muster_session session{id_of(given[0])};
    const CompileOptions compile(given[3]);
    const Items pairs(given[4]);
    std::deque<Items> kept;
    std::vector<muster_model_constant> constants;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        constants.push_back(constant_of(kept.emplace_back(pairs[i])));
    auto options = sized<muster_model_options>();
    if (PyUnicode_Check(given[1]) != 0) {
        options.path = text_of(given[1]);
    } else {
        char* data = nullptr;
        Py_ssize_t size = 0;
        ok(PyBytes_AsStringAndSize(given[1], &data, &size));
        options.data = data;
        options.size = static_cast<std::size_t>(size);
    }
    options.folder = text_of(given[2]);
    options.compile = compile.get();
    options.constants = constants.data();
    options.constant_count = constants.size();
    muster_model model;
    check(waiting([&] { return api().model_open(session, &options, &model); }));
    return handle(model.id);
}

/// model_end(model, is_output, index): (name, element, type, sizes); None past the end.
Ref model_end(const Given& given) {
    auto end = sized<muster_model_end>();
    if (check(api().model_end({id_of(given[0])}, small_number_of(given[1]), number_of(given[2]), &end)) ==
        MUSTER_NONE)
        return none();
    const Ref sizes = tuple_of(end.rank, [&](std::size_t i) {
        return end.sizes[i] < 0 ? text(view(end.texts[i]))
                                : number(static_cast<unsigned long long>(end.sizes[i]));
    });
    return Ref::made(PyTuple_Pack(4, text(view(end.name)).get(), number(end.element).get(),
                                  text(view(end.type)).get(), sizes.get()));
}

std::vector<muster_tensor> tensors_of(PyObject* list) {
    const Items items(list);
    std::vector<muster_tensor> tensors;
    for (std::size_t i = 0; i < items.size(); ++i) tensors.push_back({id_of(items[i])});
    return tensors;
}

Ref model_run(const Given& given) {
    const muster_model model{id_of(given[0])};
    const auto inputs = tensors_of(given[1]);
    std::uint64_t outputs = 0;
    check(api().get_number(model.id, MUSTER_OUTPUTS, 0, &outputs));
    std::vector<muster_tensor> made(outputs);
    std::size_t count = 0;
    check(waiting([&] {
        return api().model_run(model, inputs.data(), inputs.size(), made.data(), made.size(), &count);
    }));
    const Ref list = Ref::made(PyList_New(0));
    for (std::size_t i = 0; i < count; ++i) ok(PyList_Append(list.get(), handle(made[i].id).get()));
    return list;
}

using Ask = muster_status (*muster_api::*)(muster_model, const muster_tensor*, std::size_t, muster_blob*);
template <Ask ask>
Ref json_of(const Given& given) {
    const muster_model model{id_of(given[0])};
    const auto inputs = tensors_of(given[1]);
    muster_blob json;
    check(waiting([&] { return (api().*ask)(model, inputs.data(), inputs.size(), &json); }));
    return text_of_blob(json.id);
}

}  // namespace

void add_model_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<tensor_create>("tensor_create", "tensor_create(object)"),
        method<model_open>("model_open", "model_open(session, path, folder, compile, constants)"),
        method<model_end>("model_end", "model_end(model, is_output, index)"),
        method<model_run>("model_run", "model_run(model, tensors)"),
        method<json_of<&muster_api::model_prepare>>("model_prepare", "model_prepare(model, tensors)"),
        method<json_of<&muster_api::model_route>>("model_route", "model_route(model, tensors)"),
        method<json_of<&muster_api::model_profile>>("model_profile", "model_profile(model, tensors)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
