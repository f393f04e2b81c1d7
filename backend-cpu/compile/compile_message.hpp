// compile_message.hpp - a compilation's request and answer as text (driver/helper/helper_text.hpp).
//
// The program travels as WGSL, which wgsl::print writes and nearly always reads back as the same program.
// Both halves of the backend include this header. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/helper/helper_text.hpp>
#include <muster/foundation/archive/source_fields.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

/// The compiler module's C function that takes a CompileMessage and gives a CompileAnswer: a HelperFunction.
inline constexpr const char* compile_function = "muster_cpu_compile_for_another";

struct CompileMessage {
    std::string text, entry;
    Fingerprint fingerprint;
    CompileRequest request;
};

struct CompileAnswer {
    enum class State : std::uint8_t { image, error, text_differs } state = State::error;
    std::string image;       // the image's bytes
    std::string debug_data;  // Artifact::load_data
    Error error;
};

template <class Archive, class Message>
void exchange_message(Archive& archive, Message& value) {
    static constexpr BuildText build = build_fingerprint();
    archive.line(build.view());
    auto& [text, entry, fingerprint, request] = value;
    archive.text("text", text);
    archive.text("entry", entry);
    exchange_digest(archive, fingerprint);
    auto& [target, options, width, format, quick, symbol, debug_info, sources] = request;
    auto& [arch, host] = target;
    archive.text("arch", arch);
    archive.flag("host", host);
    auto& [precision, unchecked, subgroup_size, specs] = options;
    archive.choice("precision", precision, Precision::fast);
    archive.flag("unchecked", unchecked);
    archive.number("subgroup_size", subgroup_size);
    archive.list("specs", specs, [&](auto& spec) {
        archive.text("key", spec.first);
        archive.text("value", spec.second);
    });
    archive.number("width", width);
    archive.text("format", format);
    archive.flag("quick", quick);
    archive.text("symbol", symbol);
    archive.flag("debug_info", debug_info);
    archive.list("sources", sources, [&](auto& source) { archive.text("source", source); });
}

template <class Archive, class Answer>
void exchange_answer(Archive& archive, Answer& value) {
    auto& [state, image, debug_data, error] = value;
    archive.choice("state", state, CompileAnswer::State::text_differs);
    if (state != CompileAnswer::State::image) return exchange_error(archive, error);
    archive.text("image", image);
    archive.text("debug_data", debug_data);
}

/// Makes the artifact for the program's compiled code; used by both halves of the backend.
inline Artifact artifact_of(const ValidProgram& program, const CompileRequest& request,
                            std::span<const std::byte> bytes) {
    Artifact artifact = make_artifact(*program, request.options);
    artifact.bytes.assign(bytes.begin(), bytes.end());
    artifact.format = request.format;
    artifact.target = "cpu:" + request.target.arch;
    return artifact;
}

}  // namespace muster::cpu
