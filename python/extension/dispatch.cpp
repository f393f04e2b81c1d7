#include <algorithm>
#include <string>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/dispatch.hpp>
#include <muster/python/extension/elements.hpp>
#include <muster/python/extension/hooks.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

constexpr std::uintptr_t in_place_alignment = 16;
constexpr std::uint64_t offset_alignment = 256;

std::string quoted(const Binding& binding) { return "\"" + std::string(view(binding.text)) + "\""; }

PyObject *grid_name = nullptr, *workgroups_name = nullptr, *wait_name = nullptr;

/// True for an array that has the numbers of a scalar, such as numpy.int64(2).
bool is_number(const Binding& binding, const Py_buffer& view) { return binding.is_scalar && view.ndim == 0; }

}  // namespace

void name_keywords() {
    for (const auto& [name, text] :
         {std::pair{&grid_name, "grid"}, {&workgroups_name, "workgroups"}, {&wait_name, "wait"}})
        *name = Ref::made(PyUnicode_InternFromString(text)).release();
}

Dispatch::Dispatch(PreparedKernel& kernel) : kernel_(kernel), first_written_(kernel.bindings.size()) {
    kernel_.copied = 0;
    timing_ = sized<muster_timing>();
    const std::size_t count = kernel.bindings.size();
    arguments_.reserve(count);
    values_.reserve(count);
    parts_.reserve(count);
    for (std::size_t i = count; i-- > 0;)
        if (kernel.bindings[i].is_written) first_written_ = i;
}

Dispatch::Dispatch(PreparedKernel& kernel, PyObject* arguments, PyObject* keywords) : Dispatch(kernel) {
    add_all(arguments, keywords);
    for (const std::size_t binding : wanted_) add_result(binding);
    set_grid();
}

Dispatch::~Dispatch() {
    for (const Part& part : parts_) {
        if (part.buffer.id != 0) (void)api().release(part.buffer.id);
        if (part.copied != nullptr) take_back(part.copied);
    }
    if (ticket_.id != 0) (void)api().release(ticket_.id);
    return_lent_memory();
}

void Dispatch::add_all(PyObject* arguments, PyObject* keywords) {
    const auto given = static_cast<std::size_t>(PyTuple_Size(arguments));
    if (given > kernel_.bindings.size())
        raise_error("invalid_argument",
                    std::string(view(text_of(kernel_.entry.get()))) + " takes " +
                        std::to_string(kernel_.bindings.size()) + " arguments, and " + std::to_string(given) +
                        " are given.",
                    "give one for each binding; variables that no result depends on are left out");
    for (std::size_t i = 0; i < given; ++i) add(i, PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i)));
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; keywords != nullptr && PyDict_Next(keywords, &at, &name, &value) != 0;)
        add_named(name, value);
}

void Dispatch::add_named(PyObject* name, PyObject* value) {
    const auto add_if = [&](auto&& is_it) {
        const auto found = std::ranges::find_if(kernel_.bindings, is_it);
        if (found == kernel_.bindings.end()) return false;
        add(static_cast<std::size_t>(found - kernel_.bindings.begin()), value);
        return true;
    };
    if (add_if([&](const Binding& each) { return each.name.get() == name; })) return;
    for (const auto& [keyword, to] :
         {std::pair{grid_name, &invocations_}, {workgroups_name, &workgroups_}, {wait_name, &wait_}})
        if (PyUnicode_Compare(name, keyword) == 0) {
            *to = value;
            return;
        }
    // A name may not be interned.
    const std::string_view text = view(text_of(name));
    if (!add_if([&](const Binding& each) { return view(each.text) == text; })) add_unknown(name);
}

/// An argument that no binding takes, about which muster raises the error.
void Dispatch::add_unknown(PyObject* name) {
    static constexpr char nothing[4]{};
    auto& argument = arguments_.emplace_back(sized<muster_argument>());
    argument.name = text_of(name);
    argument.value = nothing;
    argument.bytes = sizeof nothing;
}

muster_argument& Dispatch::new_argument(std::size_t binding) {
    auto& argument = arguments_.emplace_back(sized<muster_argument>());
    argument.name = kernel_.bindings[binding].text;
    return argument;
}

void Dispatch::add(std::size_t index, PyObject* value) {
    const Binding& binding = kernel_.bindings[index];
    if (const Array* const array = array_of(value)) return add_array(index, value, *array);
    if (value == Py_None && binding.is_written) return wanted_.push_back(index);
    if (PyFloat_Check(value) != 0 || PyLong_Check(value) != 0) return add_value(index, value);
    if (PyObject_CheckBuffer(value) != 0) return add_memory(index, value);
    if (PyObject_HasAttrString(value, "__dlpack__") != 0) {
        kept_.push_back(call(Hook::take, Ref::of(value), boolean(binding.is_written)));
        PyObject* const taken = kept_.back().get();
        const Array* const array = array_of(taken);
        if (array == nullptr) raise(PyExc_TypeError, "a tensor wasn't taken");
        add_array(index, taken, *array);
        if (binding.is_written)
            parts_.push_back({.view = {array->buffer, 0, 0}, .is_written = true, .is_shared = true});
        return;
    }
    add_value(index, value);
}

void Dispatch::add_array(std::size_t index, PyObject* object, const Array& array) {
    const Binding& binding = kernel_.bindings[index];
    keep_like(index, object);
    keep_extent(index, array.bytes, array.shape, array.axes);
    if (array.offset % offset_alignment == 0) {
        auto& argument = new_argument(index);
        argument.buffer = array.buffer;
        argument.offset = array.offset;
        argument.bytes = array.bytes;
        return;
    }
    Part part{.view = {array.buffer, array.offset, array.bytes}, .is_written = binding.is_written};
    auto options = sized<muster_buffer_options>();
    options.bytes = array.bytes;
    options.element = array.element;
    check(api().buffer_create(kernel_.session, &options, &part.buffer));
    parts_.push_back(part);
    const muster_range all{part.buffer, 0, 0};
    check(waiting([&] { return api().copy(kernel_.session, &part.view, &all, nullptr); }));
    new_argument(index).buffer = part.buffer;
    kernel_.copied |= std::uint64_t{1} << (index & 63);
}

void Dispatch::add_memory(std::size_t index, PyObject* object) {
    const Binding& binding = kernel_.bindings[index];
    Lent* const lent = lend(object);
    const Part part{.copied = lent, .is_written = binding.is_written};
    parts_.push_back(part);  // which now owns the view
    const Py_buffer& view = lent->view;
    if (is_number(binding, view)) return add_value(index, object);
    const bool is_raw = PyBytes_Check(object) != 0 || PyByteArray_Check(object) != 0;
    const auto element = is_raw ? MUSTER_BYTES : element_of(view.format, view.itemsize);
    if (!element)
        raise_error("unsupported",
                    "The array of " + quoted(binding) + " has elements of the format \"" + view.format +
                        "\", which no binding takes.",
                    "convert it: bool, integers of 8 to 64 bits and floats of 16 to 64 bits are known");
    if (PyBuffer_IsContiguous(&view, 'C') == 0)
        raise_error("refused",
                    "The array of " + quoted(binding) + " can't be used, because it isn't contiguous.",
                    "give numpy.ascontiguousarray of it, or an array of muster's");
    if (binding.is_written && view.readonly != 0)
        raise_error("refused",
                    "The array of " + quoted(binding) + " is read-only, and " +
                        std::string(python::view(text_of(kernel_.entry.get()))) + " writes it.",
                    "give an array that may be written, such as a copy");
    if (binding.is_value && !binding.is_written)
        return add_bytes(index, view.buf, static_cast<std::size_t>(view.len), *element);
    keep_like(index, object);
    check_overlap({index, static_cast<const char*>(view.buf), static_cast<const char*>(view.buf) + view.len});
    keep_extent(index, static_cast<std::uint64_t>(view.len), view.shape, view.ndim);
    auto options = sized<muster_buffer_options>();
    options.bytes = static_cast<std::uint64_t>(view.len);
    options.element = *element;
    Part& kept = parts_.back();
    if (reinterpret_cast<std::uintptr_t>(view.buf) % in_place_alignment == 0 && view.len > 0) {
        options.over = view.buf;
        options.release = give_back;
        options.user = lent;
        check(api().buffer_create(kernel_.session, &options, &kept.buffer));
        kept.is_shared = true;
        kept.copied = nullptr;
    } else {
        options.from = view.len > 0 ? view.buf : nullptr;
        check(api().buffer_create(kernel_.session, &options, &kept.buffer));
        if (view.len > 0) kernel_.copied |= std::uint64_t{1} << (index & 63);
    }
    new_argument(index).buffer = kept.buffer;
}

void Dispatch::add_value(std::size_t index, PyObject* value) {
    const Binding& binding = kernel_.bindings[index];
    std::array<char, 8>& written = values_.emplace_back();
    if (binding.is_scalar && write_number(value, binding.element, written.data()))
        return add_bytes(index, written.data(), bytes_of(binding.element), binding.element);
    kept_.push_back(call(Hook::pack, Ref::of(value), number(binding.element), binding.type,
                         number(binding.min_bytes), binding.name));
    Py_ssize_t size = 0;
    char* data = nullptr;
    ok(PyBytes_AsStringAndSize(kept_.back().get(), &data, &size));
    add_bytes(index, data, static_cast<std::size_t>(size), binding.element);
}

void Dispatch::add_bytes(std::size_t index, const void* data, std::size_t bytes, std::uint32_t element) {
    auto& argument = new_argument(index);
    argument.value = data;
    argument.bytes = bytes;
    argument.element = element;
}

void Dispatch::keep_like(std::size_t index, PyObject* object) {
    if (like_) return;
    like_ = Ref::of(object);
    like_type_ = Ref(kernel_.bindings[index].type);
}

void Dispatch::add_result(std::size_t index) {
    const Binding& binding = kernel_.bindings[index];
    results_.push_back(call(Hook::result, like_ ? like_ : none(), like_type_ ? like_type_ : none(),
                            number(binding.element), binding.type, number(binding.min_bytes), binding.name));
    add(index, results_.back().get());
}

void Dispatch::check_overlap(const Memory& memory) {
    for (const Memory& other : memories_) {
        const Binding &first = kernel_.bindings[other.binding], &second = kernel_.bindings[memory.binding];
        if ((!first.is_written && !second.is_written) || memory.end <= other.begin ||
            other.end <= memory.begin)
            continue;
        const bool is_first = first.is_written;
        raise_error("conflict",
                    quoted(is_first ? first : second) + " is written by " +
                        std::string(view(text_of(kernel_.entry.get()))) + " and overlaps " +
                        quoted(is_first ? second : first) + " in memory.",
                    "give another array, or parts of it that don't overlap");
    }
    memories_.push_back(memory);
}

void Dispatch::keep_extent(std::size_t index, std::uint64_t bytes, const Py_ssize_t* shape, int axes) {
    if (index != first_written_) return;
    const Binding& binding = kernel_.bindings[index];
    if (!binding.is_run_time_array || binding.min_bytes == 0) return;
    extent_.is_known = true;
    extent_.elements = bytes / binding.min_bytes;
    std::uint64_t product = 1;
    for (int i = 0; i < axes; ++i) product *= static_cast<std::uint64_t>(shape[i]);
    // An array of vectors has an axis for their components.
    if (product != extent_.elements && axes > 1 && shape[axes - 1] > 0)
        product /= static_cast<std::uint64_t>(shape[--axes]);
    if (product != extent_.elements || axes > 3) return;
    extent_.axes = axes;
    for (int i = 0; i < axes; ++i) extent_.last[i] = shape[axes - 1 - i];
}

void Dispatch::check_is_lasting(std::string_view what) const {
    if (!parts_.empty())
        raise_error("invalid_argument",
                    std::string(what) +
                        " takes arrays of muster's that begin at a multiple of 256 bytes, and numbers.",
                    "make arrays with muster.asarray");
    if (!results_.empty())
        raise_error("invalid_argument", std::string(what) + " makes no new arrays.",
                    "give an array for each binding that is written");
}

bool Dispatch::is_to_wait() const {
    if (wait_ == nullptr) return true;
    const int is_true = PyObject_IsTrue(wait_);
    ok(is_true);
    return is_true != 0;
}

void Dispatch::set_grid() {
    if (auto given = Grid::given(invocations_, workgroups_)) {
        grid_ = std::move(*given);
        return;
    }
    if (extent_.is_known && kernel_.workgroup_axes == 1) {
        grid_.size[0] = extent_.elements;
    } else if (extent_.is_known && extent_.axes >= kernel_.workgroup_axes) {
        grid_.axes = static_cast<std::uint32_t>(extent_.axes);
        for (std::uint32_t i = 0; i < grid_.axes; ++i)
            grid_.size[i] = static_cast<std::uint64_t>(extent_.last[i]);
    } else if (first_written_ < kernel_.bindings.size() &&
               std::ranges::any_of(arguments_, [&](const auto& each) {
                   return each.buffer.id != 0 &&
                          view(each.name) == view(kernel_.bindings[first_written_].text);
               })) {
        const Binding& binding = kernel_.bindings[first_written_];
        raise_error("invalid_argument",
                    "The grid of " + std::string(view(text_of(kernel_.entry.get()))) +
                        " isn't given, and doesn't follow from " + quoted(binding) +
                        ", the first binding that it writes, which is " +
                        std::string(view(text_of(binding.type.get()))) + ".",
                    "give grid= (invocations of each axis) or workgroups=");
    }  // else muster says that an argument is missing
}

muster_dispatch Dispatch::get() const {
    auto dispatch = sized<muster_dispatch>();
    dispatch.arguments = arguments_.data();
    dispatch.argument_count = arguments_.size();
    grid_.put(dispatch);
    return dispatch;
}

muster_status Dispatch::start() {
    const muster_dispatch dispatch = get();
    muster_status status = api().dispatch(kernel_.session, kernel_.kernel, &dispatch, &ticket_);
    for (const Part& part : parts_) {
        if (status < 0 || part.view.bytes == 0 || !part.is_written) continue;
        const muster_range all{part.buffer, 0, 0};
        status = api().copy(kernel_.session, &all, &part.view, nullptr);
    }
    return status;
}

muster_status Dispatch::end(std::uint64_t timeout) {
    const std::lock_guard lock(ending_);
    if (!is_waited_) {
        const muster_status status = api().wait(ticket_, timeout, &timing_);
        if (status < 0) return status;
        is_waited_ = true;
    }
    for (; ended_ < parts_.size(); ++ended_) {
        const Part& part = parts_[ended_];
        if (!part.is_written) continue;
        muster_status status = MUSTER_OK;
        if (part.is_shared)
            status =
                api().buffer_sync(part.buffer.id != 0 ? part.buffer : part.view.buffer, timeout, nullptr);
        else if (part.copied != nullptr && part.buffer.id != 0 && part.copied->view.len > 0)
            status = api().buffer_read(part.buffer, 0, part.copied->view.buf,
                                       static_cast<std::uint64_t>(part.copied->view.len), timeout);
        if (status < 0) return status;
    }
    return MUSTER_OK;
}

void Dispatch::submit() {
    check(waiting([&] { return start(); }));
}

void Dispatch::finish(std::uint64_t nanoseconds) {
    check(waiting_at_most(nanoseconds, [&](std::uint64_t step) { return end(step); }));
}

void Dispatch::run() {
    const muster_status status = waiting([&] {
        const muster_status started = start();
        return started < 0 ? started : end(first_wait);
    });
    if (status == MUSTER_ERROR_TIMED_OUT && ticket_.id != 0) {
        ok(PyErr_CheckSignals());
        return finish(MUSTER_FOREVER);
    }
    check(status);
}

Ref Dispatch::results() const {
    if (results_.empty()) return none();
    if (results_.size() == 1) return results_[0];
    return tuple_of(results_.size(), [&](std::size_t i) { return results_[i]; });
}

}  // namespace muster::python
