// driver/routing/compile_for.cpp of programs that link muster::runtime: code is taken from an
// artifact, or there is none.
#include <fmt/format.h>

#include <muster/driver/routing/compile_for.hpp>
#include <muster/driver/routing/given_code.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::routing {

Result<Artifact> compile_for(Device& device, const ValidProgram& program, const CompileOptions& options,
                             const CodeSources& sources) {
    if (sources.given)
        if (auto artifact = given_code(*sources.given, device.info(), *program, options))
            return *std::move(artifact);
    return fail(
        ErrorCode::unavailable,
        fmt::format("No stored code fits {}{}{}, and this program links muster::runtime, which compiles "
                    "nothing.",
                    program->entry(), sources.objections.empty() ? "" : ": ", sources.objections),
        fmt::format("store code for {} in the artifact (muster emit --target), made with the same options, "
                    "or link muster::muster instead",
                    device.info().arch));
}

Result<SoonestCode> soonest_code_for(Device& device, const ValidProgram& program,
                                     const CompileOptions& options, const CodeSources& sources) {
    return SoonestCode{TRY(compile_for(device, program, options, sources))};
}

Result<std::unique_ptr<Executable>> load_for(Device& device, const ValidProgram&, const CompileOptions&,
                                             Artifact& artifact, const CodeSources&) {
    return device.load(artifact);
}

}  // namespace muster::routing
