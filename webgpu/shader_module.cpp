#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/shader_module.hpp>

namespace muster::webgpu {
namespace {

/// The offset at which each line begins.
std::vector<std::size_t> line_begins(std::string_view source) {
    std::vector<std::size_t> begins{0};
    for (std::size_t i = 0; i < source.size();) {
        const std::size_t bytes = line_break_at(source, i);
        i += std::max<std::size_t>(bytes, 1);
        if (bytes != 0) begins.push_back(i);
    }
    return begins;
}

/// The bytes of the word at a place, or of its character.
std::size_t word_bytes(std::string_view source, std::size_t at) {
    const auto is_part = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || std::isalnum(byte) != 0 || byte == '_';
    };
    std::size_t end = at;
    while (end < source.size() && is_part(source[end])) ++end;
    return end > at ? end - at : (at < source.size() ? 1 : 0);
}

/// Takes a number and what follows it off the text. False: they aren't there.
bool take_number(std::string_view& text, std::uint64_t& number, std::string_view after) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc()) return false;
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (!rest.starts_with(after)) return false;
    text = rest.substr(after.size());
    return true;
}

/// The feature that an extension of the language needs; none of muster's own extensions needs any.
std::optional<WGPUFeatureName> feature_of(std::string_view extension) {
    if (extension == "f16") return WGPUFeatureName_ShaderF16;
    if (extension == "subgroups") return WGPUFeatureName_Subgroups;
    if (extension == "clip_distances") return WGPUFeatureName_ClipDistances;
    if (extension == "dual_source_blending") return WGPUFeatureName_DualSourceBlending;
    if (extension == "primitive_index") return WGPUFeatureName_PrimitiveIndex;
    return std::nullopt;
}

/// wgpu-native's shaders have types of 64 bits without a directive. muster's language
/// has them behind its own.
std::vector<std::string> enables_of(const GpuDevice& device) {
    std::vector<std::string> made;
    if (device.has(native_i64)) made.emplace_back("muster_int64");
    if (device.has(native_f64)) made.emplace_back("muster_float64");
    return made;
}

Result<void> check_enables(const GpuDevice& device, const wgsl::Interface& interface) {
    for (const std::string& each : interface.enables) {
        const auto feature = feature_of(each);
        if (!feature || device.has(*feature)) continue;
        if (*feature == WGPUFeatureName_Subgroups && device.has(native_subgroups)) continue;
        return fail(ErrorCode::unsupported,
                    fmt::format("The shader enables {}, and the {} was made without the feature {}.", each,
                                device.shown(), name_of(*feature)),
                    "require that feature of the device (WGPUDeviceDescriptor::requiredFeatures)");
    }
    return {};
}

/// A number as the front end reads values of overrides.
Result<std::string> text_of_value(const wgsl::Override& to, double value) {
    const auto out_of_range = [&](std::string_view type) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The constant {} is {}, which isn't in the range of {}.", to.name, value, type),
            "give a value of the override's type");
    };
    if (!std::isfinite(value))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The constant {} is {}, which isn't finite.", to.name, value),
                    "give a finite value");
    const auto integer = [&](double least, double most, std::string_view type) -> Result<std::string> {
        const double whole = std::trunc(value);
        if (whole < least || whole > most) return out_of_range(type);
        return fmt::format("{}", static_cast<std::int64_t>(whole));
    };
    switch (to.type) {
        case Scalar::boolean: return std::string(value != 0 ? "true" : "false");
        case Scalar::i32: return integer(INT32_MIN, INT32_MAX, "i32");
        case Scalar::u32: return integer(0, UINT32_MAX, "u32");
        case Scalar::f16:
            if (std::abs(value) >= 65520) return out_of_range("f16");
            return fmt::format("{:.17g}", value);
        case Scalar::f32: {
            const float nearest = static_cast<float>(value);
            if (!std::isfinite(nearest)) return out_of_range("f32");
            return fmt::format("{:.9g}", nearest);
        }
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16:
        case Scalar::i64:
        case Scalar::u64:
        case Scalar::f64: break;
    }
    return fmt::format("{:.17g}", value);
}

/// An override is called by its @id if it has one, else by its name.
Result<std::vector<wgsl::OverrideValue>> values_of(const ReadModule& module,
                                                   std::span<const WGPUConstantEntry> constants) {
    std::vector<wgsl::OverrideValue> values;
    for (const WGPUConstantEntry& each : constants) {
        TRY(check_chain(each.nextInChain, "WGPUConstantEntry"));
        const std::string key = label_of(each.key);
        const auto found = std::ranges::find_if(module.overrides, [&](const wgsl::Override& one) {
            return one.id ? std::to_string(*one.id) == key : one.name == key;
        });
        if (found == module.overrides.end()) {
            std::vector<std::string> names;
            for (const wgsl::Override& one : module.overrides)
                names.push_back(one.id ? fmt::format("{} ({})", *one.id, one.name) : one.name);
            return fail(ErrorCode::not_found,
                        fmt::format("The module has no override \"{}\".", printable(key)),
                        names.empty() ? "give no constants: it has no overrides"
                                      : fmt::format("name one of: {}", fmt::join(names, ", ")));
        }
        if (std::ranges::find(values, key, &wgsl::OverrideValue::name) != values.end())
            return fail(ErrorCode::conflict, fmt::format("The constant {} is given twice.", key),
                        "give it once");
        values.push_back({key, TRY(text_of_value(*found, each.value))});
    }
    return values;
}

Result<ValidProgram> parsed(const ReadModule& module, std::size_t entry,
                            std::vector<wgsl::OverrideValue> values) {
    Result<Program> program = wgsl::parse(module.source, {.file = module.file,
                                                          .entry = module.interface.entries[entry].name,
                                                          .overrides = std::move(values),
                                                          .enables = module.enables});
    if (!program) return std::unexpected(std::move(program).error());
    return validate(*std::move(program));
}

/// The text of a module, from its chain.
Result<std::string_view> source_of(const WGPUShaderModuleDescriptor& descriptor) {
    const WGPUChainedStruct* chain = descriptor.nextInChain;
    if (find_in_chain<WGPUChainedStruct>(chain, WGPUSType_ShaderSourceSPIRV) != nullptr)
        return fail(ErrorCode::unsupported, "The shader module is SPIR-V, which muster doesn't take.",
                    "give WGSL (WGPUShaderSourceWGSL)");
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
    if (find_in_chain<WGPUChainedStruct>(chain, static_cast<WGPUSType>(WGPUSType_ShaderSourceGLSL)) !=
        nullptr)
        return fail(ErrorCode::unsupported, "The shader module is GLSL, which muster doesn't take.",
                    "give WGSL (WGPUShaderSourceWGSL)");
#endif
    constexpr std::array allowed{WGPUSType_ShaderSourceWGSL};
    TRY(check_chain(chain, "WGPUShaderModuleDescriptor", allowed));
    const auto* source = find_in_chain<WGPUShaderSourceWGSL>(chain, WGPUSType_ShaderSourceWGSL);
    if (source == nullptr)
        return fail(ErrorCode::invalid_argument, "The shader module has no source.",
                    "chain a WGPUShaderSourceWGSL to its descriptor");
    return text_of(source->code);
}

}  // namespace

std::vector<ModuleMessage> messages_of(std::string_view error, std::string_view file,
                                       std::string_view source) {
    const std::vector<std::size_t> begins = line_begins(source);
    std::vector<ModuleMessage> found;
    while (!error.empty()) {
        std::string_view line = error.substr(0, error.find('\n'));
        error.remove_prefix(std::min(error.size(), line.size() + 1));
        ModuleMessage made;
        std::string_view rest = line;
        const bool is_first = rest.starts_with(file) && rest.substr(file.size()).starts_with(":") &&
                              (rest.remove_prefix(file.size() + 1), take_number(rest, made.line, ":")) &&
                              take_number(rest, made.column, ": error: ");
        if (is_first) {
            made.text = rest;
            made.offset = begins[std::min<std::size_t>(made.line, begins.size()) - 1] + made.column - 1;
            made.bytes = word_bytes(source, made.offset);
            found.push_back(std::move(made));
        } else if (found.empty()) {
            found.push_back({.text = std::string(line)});
        } else if (line.starts_with("Fix: ") || found.back().line == 0) {
            found.back().text += '\n' + std::string(line);
        }  // else the source's line and its caret, which the position tells
    }
    return found;
}

Result<ReadModule> read_module(const GpuDevice& device, std::string file, std::string_view source) {
    ReadModule made{.file = std::move(file), .source = std::string(source), .enables = enables_of(device)};
    const wgsl::ParseOptions options{
        .file = made.file, .entry = {}, .overrides = {}, .enables = made.enables};
    made.interface = TRY(wgsl::interface_of(made.source, options));
    TRY(check_enables(device, made.interface));
    made.overrides = TRY(wgsl::overrides(made.source, options));
    const bool have_values = std::ranges::all_of(made.overrides, &wgsl::Override::has_default);
    made.programs.resize(made.interface.entries.size());
    for (std::size_t i = 0; i < made.programs.size(); ++i) {
        if (!made.interface.entries[i].unsupported.empty() || !have_values)
            continue;  // see find_entry, program_of
        made.programs[i] = TRY(parsed(made, i, {}));
    }
    return made;
}

Result<std::size_t> find_entry(const ShaderModule& module, std::optional<std::string_view> name) {
    const auto& entries = module.module->interface.entries;
    const auto& others = module.module->interface.others;
    std::vector<std::string_view> names;
    for (const wgsl::EntryInterface& each : entries) names.push_back(each.name);
    const std::string fix = names.empty() ? "write a function with @compute @workgroup_size(64) in front"
                                          : fmt::format("name one of: {}", fmt::join(names, ", "));
    std::size_t found = 0;
    if (name) {
        found = static_cast<std::size_t>(std::ranges::find(names, *name) - names.begin());
        if (found == names.size())
            return fail(ErrorCode::not_found,
                        std::ranges::find(others, *name) != others.end()
                            ? fmt::format("The entry point {} of the {} isn't a compute shader.", *name,
                                          module.shown())
                            : fmt::format("The {} has no entry point called \"{}\".", module.shown(),
                                          printable(*name)),
                        fix);
    } else if (entries.size() != 1) {
        return fail(ErrorCode::not_found,
                    fmt::format("The {} has {} compute entry points, and none is named.", module.shown(),
                                entries.size()),
                    fix);
    }
    const wgsl::EntryInterface& entry = entries[found];
    if (!entry.unsupported.empty())
        return fail(ErrorCode::unsupported,
                    fmt::format("{}:{}:{}: {}", module.module->file, entry.unsupported[0].where.line,
                                entry.unsupported[0].where.column, entry.unsupported[0].message),
                    entry.unsupported[0].fix);
    return found;
}

Result<ValidProgram> program_of(const ShaderModule& module, std::size_t entry,
                                std::span<const WGPUConstantEntry> constants) {
    const ReadModule& read = *module.module;
    std::vector<wgsl::OverrideValue> values = TRY(values_of(read, constants));
    if (values.empty() && read.programs[entry]) return *read.programs[entry];
    return parsed(read, entry, std::move(values));
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUShaderModule wgpuDeviceCreateShaderModule(WGPUDevice device,
                                              WGPUShaderModuleDescriptor const* descriptor) {
    const std::string label = label_of(descriptor->label);
    std::optional<ReadModule> module;
    std::vector<ModuleMessage> messages;
    device->attempt("wgpuDeviceCreateShaderModule", [&]() -> Result<void> {
        const std::string_view source = TRY(source_of(*descriptor));
        const std::string file = label.empty() ? "shader" : printable(label);
        auto read = read_module(*device, file, source);
        if (read) {
            module = *std::move(read);
            return {};
        }
        messages = messages_of(read.error().message, file, source);
        return std::unexpected(std::move(read).error());
    });
    return new ShaderModule(device, label, std::move(module), std::move(messages));
}

WGPUFuture wgpuShaderModuleGetCompilationInfo(WGPUShaderModule module, WGPUCompilationInfoCallbackInfo info) {
    return done(module->device->instance(), info.mode,
                [info, own = Ref<ShaderModule>(module)](bool is_cancelled) {
                    if (info.callback == nullptr) return;
                    std::vector<WGPUCompilationMessage> messages;
                    for (const ModuleMessage& each : own->messages)
                        messages.push_back({.nextInChain = nullptr,
                                            .message = view_of(each.text),
                                            .type = WGPUCompilationMessageType_Error,
                                            .lineNum = each.line,
                                            .linePos = each.column,
                                            .offset = each.offset,
                                            .length = each.bytes});
                    const WGPUCompilationInfo all{nullptr, messages.size(), messages.data()};
                    info.callback(is_cancelled ? WGPUCompilationInfoRequestStatus_CallbackCancelled
                                               : WGPUCompilationInfoRequestStatus_Success,
                                  is_cancelled ? nullptr : &all, info.userdata1, info.userdata2);
                });
}

MUSTER_WEBGPU_OBJECT(ShaderModule)
