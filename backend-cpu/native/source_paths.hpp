// source_paths.hpp - where debuggers find the sources of a program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/digest.hpp>
#include <muster/foundation/base/source.hpp>

namespace muster::cpu {

/// The folder of a program's sources and code: keep_code_file()'s group.
Digest code_group(std::span<const SourceFile> files);

/// For each file of the group, its path: its name, if that leads to a file with its text, otherwise that of a copy, which is
/// written beside the program's code (driver/cache/code_files.hpp). Empty if there is neither.
std::vector<std::string> source_paths(std::span<const SourceFile> files, const Digest& group);

}  // namespace muster::cpu
