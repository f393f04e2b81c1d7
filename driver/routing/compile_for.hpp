// compile_for.hpp - compiles a program for a device at hand and loads it, or takes stored
// code. Internal to driver/.
//
//     Artifact artifact = TRY(compile_for(device, program, options));
//     auto executable = TRY(load_for(device, program, options, artifact));
//
// Stored code comes from an artifact file, or from the disk, where earlier processes kept what they
// compiled. It is kept if the device says what it depends on (DeviceInfo::compiler). Its key also covers the
// program, with its text and lines, the options, muster's build, and what else of the device decides about
// expansion. In a program that links muster::runtime, code comes from an artifact file alone
// (runtime/compile_for.cpp). Threads: any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::routing {

/// The sources that code for a device may come from, instead of its compiler.
struct CodeSources {
    std::shared_ptr<const std::vector<Artifact>> given =
        {};                            // of an artifact file, for such devices; null: none
    std::string objections = {};       // why the device loads none of the file's other codes
    const DiskCache* cache = nullptr;  // null: the process's
};

/// Compiles a program, expanded for the device. Errors: those of expand_for() and the device.
Result<Artifact> compile_for(Device& device, const ValidProgram& program, const CompileOptions& options,
                             const CodeSources& sources = {});

struct SoonestCode {
    Artifact artifact;
    bool is_quick = false;  // compile_for() would make better code
};
/// The code that is there soonest: what the sources have, what the device compiles quickly, or what compile_for() returns.
Result<SoonestCode> soonest_code_for(Device& device, const ValidProgram& program,
                                     const CompileOptions& options, const CodeSources& sources = {});

/// Loads what compile_for() has returned for the same program, options and sources. Stored code that the
/// device doesn't load is compiled again, unless the device is lost or memory is short. Errors: those of
/// compile_for() and the device.
Result<std::unique_ptr<Executable>> load_for(Device& device, const ValidProgram& program,
                                             const CompileOptions& options, Artifact& artifact,
                                             const CodeSources& sources = {});

}  // namespace muster::routing
