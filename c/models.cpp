// Tensors and models.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/c/dlpack.hpp>
#include <muster/c/elements.hpp>
#include <muster/c/exports.hpp>
#include <muster/c/models.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

/// A copy of bytes that lives as long as something holds it.
std::shared_ptr<std::byte> copy_of(std::span<const std::byte> bytes) {
    std::shared_ptr<std::byte> copy(new std::byte[std::max<std::size_t>(bytes.size(), 1)],
                                    std::default_delete<std::byte[]>());
    std::copy(bytes.begin(), bytes.end(), copy.get());
    return copy;
}

/// A view of memory that a tensor holds by what keeps it.
std::shared_ptr<const std::byte> held(std::shared_ptr<const void> keeps, const std::byte* data) {
    return {std::move(keeps), data};
}

Answer<HostTensor> create(const muster_tensor_options& asked, const std::shared_ptr<GivenMemory>& owner) {
    if (asked.element == MUSTER_BYTES) (void)TRY(element_of(UINT32_MAX));
    (void)TRY(element_of(asked.element));
    const auto sizes = TRY(read_values(asked.sizes, asked.rank, "sizes"));
    const std::uint64_t needed = TRY(bytes_of_sizes(sizes, asked.element));
    if (needed != asked.bytes)
        return std::unexpected(
            Error{ErrorCode::invalid_argument,
                  fmt::format("A tensor of these sizes has {} bytes, and {} are given.", needed, asked.bytes),
                  "give as many bytes as the sizes and the type of elements ask for",
                  {}});
    const auto bytes = TRY(read_bytes(asked.data, asked.bytes, "data"));
    HostTensor tensor{.element = asked.element, .sizes = {sizes.begin(), sizes.end()}, .bytes = bytes.size()};
    tensor.data = owner ? held(owner, bytes.data()) : copy_of(bytes);
    return tensor;
}

Answer<HostTensor> import(const TakenTensor& taken, std::uint32_t copy,
                          const std::shared_ptr<GivenMemory>& owner) {
    const std::string why = TRY(copies(copy, taken.is_contiguous ? "" : "it isn't contiguous"));
    HostTensor tensor{.element = taken.element, .sizes = taken.sizes, .bytes = taken.bytes};
    if (why.empty()) {
        tensor.data = held(owner, taken.data);
        return tensor;
    }
    const std::shared_ptr<std::byte> memory(new std::byte[std::max<std::size_t>(taken.bytes, 1)],
                                            std::default_delete<std::byte[]>());
    gather(taken, memory.get());
    tensor.data = memory;
    return tensor;
}

Answer<DLManagedTensorVersioned*> give_tensor(const std::shared_ptr<TensorObject>& object,
                                              const muster_export_options* given) {
    const muster_export_options options = TRY(read(given, "muster_export_options"));
    const HostTensor& from = object->tensor;
    GivenTensor tensor = TRY(read_export(options, from.element, from.bytes));
    if (options.sizes == nullptr && options.rank == 0 && options.offset == 0) tensor.sizes = from.sizes;
    if (TRY(copies(options.copy, "")).empty()) {
        tensor.data = const_cast<std::byte*>(from.data.get());  // read-only, as its flags say
        tensor.is_read_only = true;
        tensor.keeps = object;
        return make_tensor(std::move(tensor));
    }
    const auto memory = copy_of({from.data.get(), from.bytes});
    tensor.data = memory.get();
    tensor.is_copied = true;
    tensor.keeps = memory;
    return make_tensor(std::move(tensor));
}

Answer<ModelSource> read_source(const muster_model_options& asked, Precision unless_said) {
    ModelSource source{.data = TRY(read_bytes(asked.data, asked.size, "data")),
                       .path = std::string(TRY(read_text(asked.path, "path"))),
                       .folder = std::string(TRY(read_text(asked.folder, "folder")))};
    TRY(check_flags(asked.flags, 0, "model options"));
    if (source.data.empty() == source.path.empty())
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     source.path.empty() ? "Neither data nor a path of a model is given."
                                                         : "Both data and a path of a model are given.",
                                     "give one of the two",
                                     {}});
    if (asked.compile != nullptr || unless_said != Precision::exact)
        source.compile = TRY(read_compile_options(asked.compile, unless_said));
    const Items<muster_model_constant> items =
        TRY(read_items(asked.constants, asked.constant_count, "muster_model_constant"));
    for (const muster_model_constant& one : items.all) {
        std::string name(TRY(read_text(one.name, "a constant's name")));
        if (one.tensor.id == 0)
            source.sizes.emplace_back(std::move(name), one.number);
        else
            source.constants.emplace_back(std::move(name), TRY(get<TensorObject>(one.tensor.id))->tensor);
    }
    return source;
}

Answer<std::vector<HostTensor>> read_inputs(const muster_tensor* inputs, std::size_t count) {
    std::vector<HostTensor> tensors;
    for (const muster_tensor& one : TRY(read_values(inputs, count, "inputs")))
        tensors.push_back(TRY(get<TensorObject>(one.id))->tensor);
    return tensors;
}

/// The JSON of what a model tells of a run with such inputs.
template <auto question>
muster_status tell_of_run(muster_model model, const muster_tensor* inputs, std::size_t count,
                          muster_blob* json) {
    return call([&]() -> Answer<void> {
        if (json == nullptr) return null_pointer("json");
        const auto object = TRY(get<ModelObject>(model.id));
        return give_blob(json, TRY(((*object->model).*question)(TRY(read_inputs(inputs, count)))).text());
    });
}

}  // namespace

Answer<Property> TensorObject::ask(std::int32_t property) const {
    switch (property) {
        case MUSTER_CONTENT:
            return one(
                Value(std::string_view(reinterpret_cast<const char*>(tensor.data.get()), tensor.bytes)));
        case MUSTER_SIZE_BYTES: return number(tensor.bytes);
        case MUSTER_ELEMENT: return number(tensor.element);
        case MUSTER_AXES: return number(tensor.sizes.size());
        case MUSTER_EXTENT:
            return many(tensor.sizes.size(),
                        [this](std::size_t i) { return Value(static_cast<std::uint64_t>(tensor.sizes[i])); });
        default: return no_property(property);
    }
}

Answer<Property> ModelObject::ask(std::int32_t property) const {
    switch (property) {
        case MUSTER_NAME: return text(model->name());
        case MUSTER_INPUTS: return number(inputs.size());
        case MUSTER_OUTPUTS: return number(outputs.size());
        default: return no_property(property);
    }
}

void add_models(muster_api& api) {
    api.tensor_create = [](const muster_tensor_options* options, muster_tensor* tensor) {
        return call([&]() -> Answer<void> {
            if (tensor == nullptr) return null_pointer("tensor");
            const muster_tensor_options asked = TRY(read_given(options, "muster_tensor_options"));
            UnlessDone memory(asked.release != nullptr ? give(asked.release, asked.user) : nullptr);
            TRY(give_handle(tensor, std::make_shared<TensorObject>(TRY(create(asked, memory.given())))));
            memory.done();
            return {};
        });
    };
    api.tensor_from_dlpack = [](DLManagedTensorVersioned* tensor, const muster_import_options* options,
                                muster_tensor* made) {
        return call([&]() -> Answer<void> {
            if (made == nullptr) return null_pointer("made");
            const muster_import_options asked = TRY(read(options, "muster_import_options"));
            const TakenTensor taken = TRY(take(tensor));
            UnlessDone owner(own(tensor));
            TRY(give_handle(made,
                            std::make_shared<TensorObject>(TRY(import(taken, asked.copy, owner.given())))));
            owner.done();
            return {};
        });
    };
    api.tensor_to_dlpack = [](muster_tensor tensor, const muster_export_options* options,
                              DLManagedTensorVersioned** made) {
        return call([&]() -> Answer<void> {
            if (made == nullptr) return null_pointer("made");
            *made = TRY(give_tensor(TRY(get<TensorObject>(tensor.id)), options));
            return {};
        });
    };
    api.model_open = [](muster_session session, const muster_model_options* options, muster_model* model) {
        return call([&]() -> Answer<void> {
            if (model == nullptr) return null_pointer("model");
            const auto by = TRY(get<SessionObject>(session.id));
            const ModelSource source =
                TRY(read_source(TRY(read_given(options, "muster_model_options")), by->precision));
            return give_handle(model, std::make_shared<ModelObject>(
                                          by, TRY(TRY(find_parts())->open_model(by->session, source))));
        });
    };
    api.model_end = [](muster_model model, std::uint32_t is_output, std::size_t index, muster_model_end* to) {
        return call([&]() -> Answer<muster_status> {
            if (to == nullptr) return null_pointer("end");
            TRY(check_writable(to, "muster_model_end"));
            const auto object = TRY(get<ModelObject>(model.id));
            const auto& ends = is_output != 0 ? object->output_views : object->input_views;
            if (index >= ends.size()) return MUSTER_NONE;
            write(to, ends[index].end());
            return MUSTER_OK;
        });
    };
    api.model_run = [](muster_model model, const muster_tensor* inputs, std::size_t input_count,
                       muster_tensor* outputs, std::size_t capacity, std::size_t* count) {
        return call([&]() -> Answer<void> {
            const auto object = TRY(get<ModelObject>(model.id));
            if (count == nullptr) return null_pointer("count");
            if (outputs == nullptr && capacity > 0) return null_pointer("outputs");
            std::vector<std::shared_ptr<TensorObject>> all;
            for (HostTensor& one : TRY(object->model->run(TRY(read_inputs(inputs, input_count)))))
                all.push_back(std::make_shared<TensorObject>(std::move(one)));
            return give_list(outputs, capacity, count, std::move(all));
        });
    };
    api.model_prepare = tell_of_run<&OpenModel::prepare>;
    api.model_route = tell_of_run<&OpenModel::route>;
    api.model_profile = tell_of_run<&OpenModel::profile>;
}

}  // namespace muster::c
