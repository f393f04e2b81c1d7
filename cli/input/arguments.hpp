// arguments.hpp - the parts of a command line that several commands have. Text is as it was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::cli {

struct ProgramArguments {
    std::string path;
    std::string entry;                   // empty: the module's only entry point
    std::vector<std::string> overrides;  // NAME=VALUE
    std::string digest;                  // the file's SHA-256; empty: any
    std::vector<std::string> constants;  // of an ONNX model: NAME=SPEC of inputs, NAME=NUMBER of sizes
};

struct RoutingArguments {
    std::vector<std::string> backends;  // ordered allow-list; empty: all
    std::vector<std::string> excludes;
    std::vector<std::string> allow_tags;
    std::vector<std::string> require_tags;
    std::vector<std::string> exclude_tags;
    std::vector<std::string> require_features;
    std::string pin;  // a backend or device; empty: none
    bool only_one = false;
    bool measured = false;
    std::string kind;        // gpu, discrete, integrated, cpu; empty: any
    std::string min_memory;  // "8GiB"; empty: none
    std::uint32_t subgroup_size = 0;
    std::string compile_budget;  // seconds; empty: the environment's setting
    std::string on_failure;      // fail, retry or next; empty: the environment's setting
    std::string optimize;        // first, later or never; empty: the environment's setting
    std::string pack;            // of patterns, for models; empty: the environment's setting
    bool inexact_ok = false;
    bool no_emission = false;
    bool no_device_check = false;
    bool fast = false;
    std::string trace;  // the file to record into; empty: none
    bool validate = false;
};

/// What a kernel runs on.
struct InputArguments {
    std::vector<std::string> binds;  // NAME=SPEC
    std::string workgroups;          // X[,Y[,Z]]; empty: not given
    std::string invocations;         // the same, or extent:NAME

    bool is_given() const { return !binds.empty() || !workgroups.empty() || !invocations.empty(); }
};

}  // namespace muster::cli
