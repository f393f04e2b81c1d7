// model_artifact.hpp - a model that is ready to run, as one file: plans for certain sizes of its inputs,
// kernels with codes for several targets, weights as devices hold them. Neither the model's graph nor
// anything that reads or compiles one is needed to run it.
//
//     ModelArtifact artifact = *load_model_artifact("squeezenet.muster");          // maps the file
//     StoredModel model = *StoredModel::open(*Session::open(), artifact);           // stored_model.hpp
//     std::vector<Tensor> outputs = *model.run({image});
//
// Reading is robust: any bytes give an artifact or an error, and so does every changed bit, if only
// when a kernel or weights are loaded. It isn't trust: kernels have native code, which a device runs as
// it is (docs/artifacts.md).
//
// The format, little-endian: "\x7fMODEL!\n"; version u32; 0 u32; bytes of the description u64; bytes of the
// file u64; the description (graph/stored_model/model_fields.hpp, internal); XXH3-128 of all before, the high
// half first; then blobs, each at the next multiple of 64, zeros between: a muster artifact for each kernel,
// then weights. Threads: values and pure functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/graph/run/run_plan.hpp>

namespace muster::graph {

struct ModelArtifact {
    std::string name, pack;
    CompileOptions options;  // of its codes
    std::vector<RunPlan>
        choices;              // each for other sizes of the inputs; all have the same inputs and programs
    std::uint64_t bytes = 0;  // of the file
};

/// The content of an artifact, before it is written.
struct ModelPackage {
    std::string name, pack;
    CompileOptions options;
    std::vector<ArtifactFile> kernels;
    std::vector<RunPlan> choices;  // RunDispatch::program numbers the kernels
};

std::vector<std::byte> model_artifact_bytes(const ModelPackage& package);

/// True if the bytes begin as such a file does.
bool is_model_artifact(std::span<const std::byte> bytes);

/// The artifact, whose weights stay where they are: `owner` keeps the bytes, which nobody else may use.
/// Errors: invalid_argument (not such a file, of another version, damaged, not aligned to wrapped_alignment).
Result<ModelArtifact> read_model_artifact(std::span<std::byte> bytes, std::shared_ptr<const void> owner);
/// Maps a file and reads it. The file must not change while the artifact or its models live. Errors:
/// not_found, io_failed, those of read_model_artifact().
Result<ModelArtifact> load_model_artifact(const std::filesystem::path& path);

}  // namespace muster::graph
