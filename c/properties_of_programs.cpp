// The properties of programs, kernels, routes and artifacts.
#include <array>

#include <fmt/format.h>

#include <muster/c/elements.hpp>
#include <muster/c/objects.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

namespace muster::c {
namespace {

Value binding_value(const Program& program, std::size_t which, std::int32_t property) {
    const Variable& variable = program.variable(program.bindings()[which]);
    switch (property) {
        case MUSTER_BINDING_NAME: return variable.name;
        case MUSTER_BINDING_GROUP: return std::uint64_t{variable.group};
        case MUSTER_BINDING_NUMBER: return std::uint64_t{variable.binding};
        case MUSTER_BINDING_SPACE: return std::string(name(variable.space));
        case MUSTER_BINDING_ACCESS: return std::string(name(variable.access));
        case MUSTER_BINDING_TYPE: return program.types().name(variable.type);
        case MUSTER_BINDING_MIN_BYTES: return min_binding_bytes(program.types(), variable.type);
        case MUSTER_BINDING_IS_WRITTEN: return std::uint64_t{variable.is_written ? 1u : 0u};
        default: {
            const auto scalar = sole_scalar(program.types(), variable.type);
            return std::uint64_t{scalar ? number_of(ElementType(*scalar)) : std::uint32_t{MUSTER_BYTES}};
        }
    }
}

/// The properties that follow from a program; none for any other. What it gives keeps the program.
std::optional<Property> of_program(const ValidProgram& program, std::int32_t property) {
    switch (property) {
        case MUSTER_NAME: return Property{1, std::string(program->entry()), nullptr};
        case MUSTER_FINGERPRINT: return Property{1, to_string(program->fingerprint()), nullptr};
        case MUSTER_WORKGROUP_SIZE: {
            const Extent3 size = program->workgroup_size();
            return Property{3, {}, [size](std::size_t i) {
                                return Value(std::uint64_t{std::array{size.x, size.y, size.z}[i]});
                            }};
        }
        case MUSTER_BINDING_NAME:
        case MUSTER_BINDING_GROUP:
        case MUSTER_BINDING_NUMBER:
        case MUSTER_BINDING_SPACE:
        case MUSTER_BINDING_ACCESS:
        case MUSTER_BINDING_TYPE:
        case MUSTER_BINDING_MIN_BYTES:
        case MUSTER_BINDING_ELEMENT:
        case MUSTER_BINDING_IS_WRITTEN:
            return Property{program->bindings().size(), {}, [program, property](std::size_t i) {
                                return binding_value(*program, i, property);
                            }};
        case MUSTER_WGSL_TEXT: return Property{1, wgsl::print(*program), nullptr};
        default: return std::nullopt;
    }
}

Value candidate_value(const CandidateRecord& candidate, std::int32_t property) {
    switch (property) {
        case MUSTER_CANDIDATE_ID: return candidate.id();
        case MUSTER_CANDIDATE_BACKEND: return candidate.backend;
        case MUSTER_CANDIDATE_DEVICE: return candidate.device;
        case MUSTER_CANDIDATE_STAGE: return std::string(name(candidate.stage));
        case MUSTER_CANDIDATE_REASON: return std::string(name(candidate.reason));
        case MUSTER_CANDIDATE_MESSAGE: return candidate.message;
        case MUSTER_CANDIDATE_FIX: return candidate.fix;
        case MUSTER_CANDIDATE_RANK: return std::uint64_t{candidate.rank};
        default: return candidate.estimate ? Value(candidate.estimate->total_us()) : Value();
    }
}

}  // namespace

Answer<Property> ProgramObject::ask(std::int32_t property) const {
    if (auto found = of_program(file.program, property)) return *std::move(found);
    if (property == MUSTER_CODE_TARGET)
        return many(file.codes.size(), [this](std::size_t i) { return Value(file.codes[i].target); });
    return no_property(property);
}

Answer<Property> KernelObject::ask(std::int32_t property) const {
    if (auto found = of_program(kernel.program(), property)) return *std::move(found);
    switch (property) {
        case MUSTER_ID: return text(device_id(kernel.backend(), kernel.device()));
        case MUSTER_BACKEND: return text(std::string(kernel.backend()));
        case MUSTER_IS_STORED: return number(kernel.artifact().is_stored ? 1 : 0);
        case MUSTER_IS_OPTIMIZED: return number(kernel.is_optimized() ? 1 : 0);
        default: return no_property(property);
    }
}

Answer<Property> RouteObject::ask(std::int32_t property) const {
    const Decision& decision = route.decision();
    const Execute* const execute = route.execute();
    const EmitOnly* const emit = route.emit_only();
    switch (property) {
        case MUSTER_ID: return text_if(execute ? execute->id() : emit ? emit->target.to_string() : "");
        case MUSTER_NAME: return text(decision.entry);
        case MUSTER_EXPLANATION: return text(route.explain());
        case MUSTER_BACKEND: return text_if(execute ? execute->backend : emit ? emit->backend : "");
        case MUSTER_TARGET: return text_if(emit ? emit->target.to_string() : "");
        case MUSTER_FINGERPRINT: return text(to_string(decision.fingerprint));
        case MUSTER_OUTCOME: return number(execute ? MUSTER_EXECUTES : emit ? MUSTER_EMITS : MUSTER_REFUSED);
        case MUSTER_CANDIDATE_ID:
        case MUSTER_CANDIDATE_BACKEND:
        case MUSTER_CANDIDATE_DEVICE:
        case MUSTER_CANDIDATE_STAGE:
        case MUSTER_CANDIDATE_REASON:
        case MUSTER_CANDIDATE_MESSAGE:
        case MUSTER_CANDIDATE_FIX:
        case MUSTER_CANDIDATE_RANK:
        case MUSTER_CANDIDATE_ESTIMATE_US:
            return many(decision.candidates.size(), [&decision, property](std::size_t i) {
                return candidate_value(decision.candidates[i], property);
            });
        case MUSTER_NOTE: return texts(decision.notes);
        default: return no_property(property);
    }
}

Answer<Property> ArtifactObject::ask(std::int32_t property) const {
    const auto side_file = [&](auto member) {
        return many(artifact.side_files.size(),
                    [this, member](std::size_t i) { return Value(artifact.side_files[i].*member); });
    };
    using SideFile = std::pair<std::string, std::string>;
    switch (property) {
        case MUSTER_NAME: return text(artifact.entry);
        case MUSTER_CONTENT: return one(Value(artifact.text()));
        case MUSTER_SIZE_BYTES: return number(artifact.bytes.size());
        case MUSTER_TARGET: return text(artifact.target);
        case MUSTER_FORMAT: return text(artifact.format);
        case MUSTER_FINGERPRINT: return text(to_string(artifact.fingerprint));
        case MUSTER_IS_TEXT: return number(artifact.is_text() ? 1 : 0);
        case MUSTER_SIDE_FILE_NAME: return side_file(&SideFile::first);
        case MUSTER_SIDE_FILE_TEXT: return side_file(&SideFile::second);
        default: return no_property(property);
    }
}

}  // namespace muster::c
