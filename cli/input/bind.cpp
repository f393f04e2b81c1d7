// Fills each binding's buffer from its SPEC (spec.hpp).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/literal.hpp>
#include <muster/cli/input/npy_convert.hpp>
#include <muster/cli/input/npz.hpp>
#include <muster/cli/input/pixels.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/input/type_name.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

/// The bits of a float in the scalar type.
std::uint64_t float_word(Scalar scalar, double value) {
    if (scalar == Scalar::f64) return std::bit_cast<std::uint64_t>(value);
    return scalar == Scalar::f16 ? f16(static_cast<float>(value)).bits()
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// Writes the `index`-th number of a run.
void put_number(std::span<std::byte> bytes, std::uint64_t run, std::uint64_t index, Scalar scalar,
                std::uint64_t bits) {
    std::memcpy(&bytes[run + index * info(scalar).bytes], &bits, info(scalar).bytes);
}

/// Fills one binding.
struct Maker {
    const Program& program;
    const Variable& variable;
    const TypeTable& types;
    const TypeId type;
    const TypeId element;

    Maker(const Program& owner, const Variable& what)
        : program(owner),
          variable(what),
          types(owner.types()),
          type(what.type),
          element(repeated(types, type)) {}

    std::unexpected<Error> misfit(std::string why, std::string fix = {}) const {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding \"{}\" is {}: {}.", variable.name, types.name(type), why),
                    std::move(fix));
    }

    Result<HostBuffer> zeros(std::uint64_t elements, std::vector<std::uint64_t> shape) const {
        const std::uint64_t bytes = TRY(bytes_for(types, type, elements));
        return HostBuffer{std::vector<std::byte>(bytes), std::move(shape)};
    }

    /// `shape` is kept as it is, also where it doesn't follow from the number of elements.
    Result<HostBuffer> from_packed(std::span<const std::byte> packed, Scalar scalar,
                                   std::vector<std::uint64_t> shape) const {
        const std::uint64_t elements = TRY(elements_for(types, type, packed.size() / info(scalar).bytes));
        HostBuffer buffer = TRY(zeros(elements, std::move(shape)));
        spread(types, type, elements, packed, buffer.bytes);
        return buffer;
    }

    /// Checks the number of elements against a type of fixed size.
    Result<void> check_elements(std::uint64_t elements) const {
        if (types.has_runtime_array(type)) return {};
        const std::uint64_t declared = element_count(types, type, types[type].size);
        if (declared == elements) return {};
        return misfit(fmt::format("it has {} element{}, and {} {} given", declared, declared == 1 ? "" : "s",
                                  elements, elements == 1 ? "is" : "are"));
    }

    Result<HostBuffer> image(const std::string& path) const;
    Result<HostBuffer> npy(std::span<const std::byte> file, const std::string& name) const;
    Result<HostBuffer> raw(const std::string& path) const;
    Result<HostBuffer> generated(const Spec& spec) const;
    Result<HostBuffer> literal(const Spec& spec) const;
    bool is_element(std::string_view name) const;
    Result<HostBuffer> like(const Maker& other, const HostBuffer& source) const;
    Result<HostBuffer> extent(const Maker& other, const HostBuffer& source) const;
};

Result<HostBuffer> Maker::image(const std::string& path) const {
    const auto form = pixel_form(types, type);
    if (!form) {
        return misfit(
            "a picture fits array<u32> and array<vec4<u8>> (RGBA, 8 bits each) and array<vec4<f32>> (0 to "
            "1)");
    }
    const Image picture = TRY(parse_image(TRY(read_file(path)), path));
    const std::uint64_t pixels = std::uint64_t{picture.width} * picture.height;
    if (auto fits = check_elements(pixels); !fits) return std::unexpected(std::move(fits).error());
    HostBuffer buffer = TRY(zeros(pixels, {picture.height, picture.width}));
    if (types[element].width == 4) buffer.shape.push_back(4);
    pixels_from_rgba(*form, picture.rgba, buffer.bytes);
    return buffer;
}

Result<HostBuffer> Maker::npy(std::span<const std::byte> file, const std::string& name) const {
    const StoredArray stored = TRY(parse_npy(file, name));
    const auto only = only_scalar(types, type);
    if (!only)
        return misfit("a .npy holds numbers of one kind, and this has several", "give a .bin with its bytes");
    Converted converted =
        TRY(during([&] { return fmt::format("filling {}, which is {}", variable.name, types.name(type)); },
                   convert(stored, *only, name)));
    if (!converted.note.empty()) complain(fmt::format("note: {}\n", converted.note));
    return from_packed(converted.array.bytes, *only, std::move(converted.array.shape));
}

Result<HostBuffer> Maker::raw(const std::string& path) const {
    HostBuffer buffer{TRY(read_file(path)), {}};
    const std::uint64_t elements = element_count(types, type, buffer.bytes.size());
    if (const std::uint64_t fitting = TRY(bytes_for(types, type, elements)); fitting != buffer.bytes.size()) {
        return misfit(fmt::format("\"{}\" has {} bytes, and {} elements take {}", path, buffer.bytes.size(),
                                  elements, fitting));
    }
    buffer.shape = plain_shape(types, type, elements);
    return buffer;
}

/// True if this is a name of the element's type. Hosts have no atomic types, so u32 also matches atomic<u32>.
bool Maker::is_element(std::string_view name) const {
    const std::string own = types.name(element);
    return (types[element].kind == TypeKind::atomic && name == info(types[element].scalar).name) ||
           canonical_type_name(name) == own || canonical_type_name(name, aliases_of(program)) == own;
}

Result<HostBuffer> Maker::generated(const Spec& spec) const {
    if (!is_element(spec.type)) {
        const std::string name = types.name(element);
        return misfit(fmt::format("its elements are {}, not {}", name, spec.type),
                      fmt::format("write {} instead of {}", name, spec.type));
    }
    const auto elements = count_of(spec.shape);
    if (!elements) return misfit("the count is over 64 bits");
    if (auto fits = check_elements(*elements); !fits) return std::unexpected(std::move(fits).error());
    HostBuffer buffer = TRY(zeros(*elements, plain_shape(types, type, *elements)));
    if (types[type].kind == TypeKind::array && types[element].kind != TypeKind::structure) {
        buffer.shape.erase(buffer.shape.begin());
        buffer.shape.insert(buffer.shape.begin(), spec.shape.begin(), spec.shape.end());
    }
    if (spec.kind == Spec::Kind::zeros) return buffer;

    std::uint64_t index = 0;
    for_each_run(types, type, *elements, [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
        for (std::uint64_t i = 0; i < numbers; ++i, ++index) {
            std::uint64_t bits = index;
            if (spec.kind == Spec::Kind::random) bits = random_word(spec.seed, index);
            if (is_float(scalar))
                bits = float_word(scalar, spec.kind == Spec::Kind::random
                                              ? static_cast<double>(bits >> 8) * 0x1p-24
                                              : static_cast<double>(index));
            put_number(buffer.bytes, offset, i, scalar, bits);
        }
    });
    return buffer;
}

/// Splits at commas and spaces. Between two commas there is an empty word, which then isn't a number.
std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view separators = ", ";
    std::vector<std::string_view> words;
    for (bool is_more = true; is_more;) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        is_more = !text.empty();
        if (text.starts_with(',')) text.remove_prefix(1);
    }
    return words;
}

Result<HostBuffer> Maker::literal(const Spec& spec) const {
    const auto only = only_scalar(types, type);
    const bool fits = spec.type.empty() || is_element(spec.type) || (only && spec.type == info(*only).name);
    if (!fits)
        return misfit(fmt::format("its elements are {}, not {}", types.name(element), spec.type),
                      fmt::format("write the numbers alone: {}", spec.text));
    const std::vector<std::string_view> words = words_of(spec.text);
    const std::uint64_t elements = TRY(elements_for(types, type, words.size()));
    HostBuffer buffer =
        TRY(zeros(elements, plain_shape(types, type,
                                        element_count(types, type, TRY(bytes_for(types, type, elements))))));

    std::size_t next = 0;
    std::optional<Error> error;
    for_each_run(types, type, elements, [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
        for (std::uint64_t i = 0; i < numbers && !error; ++i, ++next) {
            const auto bits = parse_number(words[next], scalar);
            if (!bits) {
                error = bits.error();
            } else {
                put_number(buffer.bytes, offset, i, scalar, *bits);
            }
        }
    });
    if (error) return std::unexpected(*std::move(error));
    return buffer;
}

Result<HostBuffer> Maker::like(const Maker& other, const HostBuffer& source) const {
    const std::uint64_t elements = element_count(other.types, other.type, source.bytes.size());
    if (auto fits = check_elements(elements); !fits) return std::unexpected(std::move(fits).error());
    std::vector<std::uint64_t> shape = plain_shape(types, type, elements);
    const Extent extent = extent_of(other.types, other.type, source.shape);
    if (!shape.empty() && extent.y * extent.z > 1 && extent.x * extent.y * extent.z == elements) {
        std::vector<std::uint64_t> axes{extent.y, extent.x};
        if (extent.z > 1) axes.insert(axes.begin(), extent.z);
        shape.erase(shape.begin());
        shape.insert(shape.begin(), axes.begin(), axes.end());
    }
    return zeros(elements, std::move(shape));
}

Result<HostBuffer> Maker::extent(const Maker& other, const HostBuffer& source) const {
    const Extent extent = extent_of(other.types, other.type, source.shape);
    const std::array<std::uint64_t, 3> lengths{extent.x, extent.y, extent.z};
    const auto only = only_scalar(types, type);
    const std::uint64_t numbers = types.has_runtime_array(type) ? 0 : types.scalars_in(type);
    if (!only || numbers == 0 || numbers > 3)
        return misfit("an extent fits one to three numbers: width, height, depth");
    std::vector<std::byte> packed(numbers * info(*only).bytes);
    for (std::size_t i = 0; i < numbers; ++i)
        put_number(packed, 0, i, *only,
                   is_float(*only) ? float_word(*only, static_cast<double>(lengths[i]))
                                   : static_cast<std::uint32_t>(lengths[i]));
    return from_packed(packed, *only, plain_shape(types, type, 1));
}

std::string names_of_bindings(const Program& program) {
    std::vector<std::string> names;
    for (const VariableId id : program.bindings()) names.push_back(program.variable(id).name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool refers(const Spec& spec) { return spec.kind == Spec::Kind::like || spec.kind == Spec::Kind::extent; }

Result<HostBuffer> make_buffer(const Program& program, const Variable& binding, const Spec& spec,
                               const SizedBinding& source) {
    const Maker maker(program, binding);
    using Kind = Spec::Kind;
    switch (spec.kind) {
        case Kind::image: return maker.image(spec.text);
        case Kind::npy: return maker.npy(TRY(read_file(spec.text)), spec.text);
        case Kind::npz:
            return maker.npy(TRY(read_npz(spec.text, spec.type)), fmt::format("{}:{}", spec.text, spec.type));
        case Kind::raw: return maker.raw(spec.text);
        case Kind::zeros:
        case Kind::random:
        case Kind::iota: return maker.generated(spec);
        case Kind::literal: return maker.literal(spec);
        case Kind::like: return maker.like(Maker(*source.program, *source.variable), *source.buffer);
        case Kind::extent: break;
    }
    return maker.extent(Maker(*source.program, *source.variable), *source.buffer);
}

const Variable* find_binding(const Program& program, std::string_view name) {
    for (const VariableId id : program.bindings()) {
        if (program.variable(id).name == name) return &program.variable(id);
    }
    return nullptr;
}

std::uint32_t random_word(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

Result<HostBuffers> make_buffers(const Program& program, const NamedTexts& binds) {
    std::vector<std::pair<std::string, Spec>> open;
    for (const auto& [name, text] : binds) {
        if (find_binding(program, name) == nullptr) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} has no binding \"{}\".", program.entry(), name),
                        fmt::format("its bindings are {}; variables that no result depends on are left out",
                                    names_of_bindings(program)));
        }
        open.emplace_back(name, TRY(during(fmt::format("reading --bind {}", name), parse_spec(text))));
    }
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        if (std::ranges::any_of(open, [&](const auto& bind) { return bind.first == variable.name; }))
            continue;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding \"{}\" ({}) is given nothing.", variable.name,
                                program.types().name(variable.type)),
                    fmt::format("add --bind {}=SPEC", variable.name));
    }

    HostBuffers done;
    while (!open.empty()) {
        const auto ready = std::ranges::find_if(
            open, [&](const auto& bind) { return !refers(bind.second) || done.contains(bind.second.text); });
        if (ready == open.end()) {
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("Binding \"{}\" refers to \"{}\", which isn't a binding with a size of its own.",
                            open.front().first, open.front().second.text),
                fmt::format("its bindings are {}", names_of_bindings(program)));
        }
        SizedBinding source;
        if (refers(ready->second))
            source = {&program, find_binding(program, ready->second.text),
                      &done.find(ready->second.text)->second};
        done.emplace(
            ready->first,
            TRY(during("making --bind " + ready->first,
                       make_buffer(program, *find_binding(program, ready->first), ready->second, source))));
        open.erase(ready);
    }
    return done;
}

}  // namespace muster::cli
