// json.hpp - the tool's JSON; docs/tool.md documents the schema.
//
// Members stand in the order written; nanoseconds and bytes are integers, fingerprints and checksums
// hexadecimal text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cli {

using Json = nlohmann::ordered_json;

Json to_json(Extent3 extent);  // [x, y, z]
Json to_json(const Error& error);
Json to_json(const DeviceInfo& device);
Json to_json(const DeviceCheck& check);
Json to_json(const Target& target);
Json to_json(const Route& route);

/// The text of a file of JSON, indented; bytes that aren't UTF-8 become U+FFFD.
std::string json_text(const Json& json);
/// Prints it to standard output.
void print_json(const Json& json);

}  // namespace muster::cli
