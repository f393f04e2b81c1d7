// arguments.hpp - parses the command line into plain structures. Only arguments.cpp knows CLI11.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
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
    std::string pack;            // of patterns, for models; empty: the environment's setting
    bool inexact_ok = false;
    bool no_emission = false;
    bool no_device_check = false;
    bool fast = false;
    bool validate = false;
};

struct BackendsArguments {
    std::string target;  // "cuda:sm_90", or a device, "cuda:0"; empty: list every backend
    bool open = false;   // also open plugins
    bool json = false;
};

/// What a kernel runs on.
struct InputArguments {
    std::vector<std::string> binds;  // NAME=SPEC
    std::string workgroups;          // X[,Y[,Z]]; empty: not given
    std::string invocations;         // the same, or extent:NAME

    bool is_given() const { return !binds.empty() || !workgroups.empty() || !invocations.empty(); }
};

struct RouteArguments {
    ProgramArguments program;
    RoutingArguments routing;
    InputArguments input;
    std::uint32_t cluster = 0;           // ranks; 0: say where it would run instead
    std::vector<std::string> replicate;  // bindings
    bool explain = false;                // of a model: each match and near miss of a pattern
    bool json = false;
};

struct RunArguments {
    ProgramArguments program;
    RoutingArguments routing;
    InputArguments input;
    std::vector<std::string> outs;     // NAME=FILE
    std::vector<std::string> devices;  // of one dispatch; empty: one is routed to
    std::vector<std::string> specs;    // KEY=VALUE
    std::uint32_t repeat = 1;
    std::string timeout;  // "10", "500ms"; empty: none
    std::string profile;  // of a model: file, or -; empty: none
    bool tuned = false;
    bool explain = false;
    bool quiet = false;
    bool json = false;
};

struct PipelineArguments {
    std::string path;
    RoutingArguments routing;
    std::vector<std::string> binds;  // BUFFER=SPEC
    std::vector<std::string> outs;   // BUFFER=FILE
    std::string timeout;             // as in RunArguments
    bool quiet = false;
    bool json = false;
};

struct EmitArguments {
    ProgramArguments program;
    std::string backend;
    std::vector<std::string> targets;  // several: for an artifact alone
    std::vector<std::string> sizes;    // of a model: NAME=N[,NAME=N...], for each choice of sizes
    std::vector<std::string> binds;    // of a model: NAME=SPEC
    std::string format;
    std::vector<std::string> specs;  // KEY=VALUE
    std::string output;
    std::string debug_map;  // file; empty: none
    std::uint32_t subgroup_size = 0;
    std::string compile_budget;
    bool parts = false;
    bool embed = false;
    std::string function;  // with embed: its name; empty: ENTRY_artifact
    bool fast = false;
    bool json = false;
};

struct InspectArguments {
    std::string path;
    bool map = false;
    bool disassemble = false;
    bool json = false;
};

struct CheckArguments {
    std::vector<std::string> backends;
    std::vector<std::string> cases;  // globs of names, and files of cases; empty: the whole suite
    std::string timeout;             // as in RunArguments
    std::string gaps;                // file; empty: none
    std::string json;                // file, or -; empty: none
    std::string html;                // the same
    bool list = false;
};

struct BenchArguments {
    std::vector<std::string> backends;
    std::vector<std::string> only;  // names of kernels; empty: all
    std::string time, timeout;      // as in RunArguments; empty: the default
    std::string json, svg;          // file, or -; empty: none
    std::string compare;            // file; empty: none
    bool quick = false;
    bool fast = false;

    // With --tune:
    ProgramArguments tune;  // its path is empty without; an override has several values, "8,16" or "8..64"
    InputArguments input;
    std::string tolerance;  // a number; empty: the default
};

struct CacheArguments {
    std::string action;  // list, size or clear
    bool json = false;
};

struct SanitizeArguments {
    ProgramArguments program;
    InputArguments input;
    std::vector<std::string> no_data;  // names of bindings
    std::vector<std::uint64_t> seed;   // empty: the first `seeds` numbers
    std::uint32_t seeds = 4;
    std::string sample;               // a number, or all; empty: the default
    std::vector<std::string> ignore;  // kinds of findings
    std::uint32_t max_findings = 100;
    std::uint64_t max_steps = 0;  // 0: the default
    std::uint32_t subgroup_size = 0;
    bool json = false;
};

struct QuantizeArguments {
    ProgramArguments model;
    RoutingArguments routing;
    std::string samples;  // a folder, or a .npy file
    std::string output;
    double percentile = 100;
    double strength = 0.5;  // of smoothing
    bool no_smooth = false;
    bool json = false;
};

struct NewBackendArguments {
    std::string folder;  // its name is the backend's id
};

struct VersionArguments {
    bool json = false;
};

/// A question of the shells' completions (complete.hpp).
struct CompleteArguments {
    std::string kind;  // of value, as --help names it: ID, TARGET
};

/// Text to print before exiting: help, version, or a usage error.
struct Message {
    std::string text;
    int exit = 0;
};

using Arguments =
    std::variant<Message, BackendsArguments, RouteArguments, RunArguments, PipelineArguments, EmitArguments,
                 InspectArguments, CheckArguments, BenchArguments, SanitizeArguments, CacheArguments,
                 QuantizeArguments, NewBackendArguments, VersionArguments, CompleteArguments>;

Arguments parse_arguments(int count, const char* const* arguments);

/// An option or argument of a command, as --help shows it.
struct OptionHelp {
    std::vector<std::string> names;  // "-o", "--output"; empty: an argument in its place
    std::string value;               // "FILE", or the argument's name; empty: a flag
    std::string text;
    bool is_required = false;
    bool repeats = false;
};

struct CommandHelp {
    std::string name;  // empty: the tool itself
    std::string text;
    std::vector<OptionHelp> options;
    std::string footer;
};

/// The tool, and each of its commands that --help shows: for the manual and the shells' completions (pages/).
std::vector<CommandHelp> command_line_help();

}  // namespace muster::cli
