// json.hpp - the tool's JSON; docs/tool.md documents the schema.
//
// Devices, routes, backends and errors are as driver/report/report.hpp tells of them: to_json(report::of(device)).
// Members stand in the order written; nanoseconds and bytes are integers, fingerprints and checksums
// hexadecimal text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <muster/driver/report/report.hpp>

namespace muster::cli {

using Json = nlohmann::ordered_json;

/// The same JSON, as a value that can be changed and read.
Json to_json(const report::Json& json);

/// The text of a file of JSON, indented; bytes that aren't UTF-8 become U+FFFD.
std::string json_text(const Json& json);
/// Prints it to standard output.
void print_json(const Json& json);

}  // namespace muster::cli
