// options.hpp - what a command takes, a row for each: where its value goes, its name, the kind of the
// value, what --help says.
//
//     options.argument(to.path, "FILE", "An artifact: a .muster file");
//     options.value(to.repeat, "--repeat", "N", "Run so many times").within(1u, 1'000'000u);
//     options.flag(to.json, "--json", "Print JSON");
//
// Only options.cpp and command_line.cpp know CLI11.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace muster::cli {

/// A command's options, in the order in which --help shows them. What they fill has to outlive the parsing.
class Options {
  public:
    explicit Options(CLI::App& app) : app_(app) {}

    /// An argument in its place, which has to be given.
    Options& argument(std::string& to, const char* name, const char* help);
    Options& flag(bool& to, const char* name, const char* help);
    /// A std::string, std::uint32_t, std::uint64_t or double.
    template <class Value>
    Options& value(Value& to, const char* name, const char* kind, const char* help);
    /// Several std::string or std::uint64_t: the option is repeated.
    template <class Value>
    Options& values(std::vector<Value>& to, const char* name, const char* kind, const char* help);
    /// Several: repeated, or separated by commas.
    Options& list(std::vector<std::string>& to, const char* name, const char* kind, const char* help);
    /// A file to write. Standard output is "-", also if it is given as /dev/stdout: nothing
    /// else may be printed then.
    Options& output(std::string& to, const char* name, const char* help);

    // More of the last row:
    Options& required();
    Options& one_of(const std::vector<std::string>& values);
    /// Numbers have the value's type.
    template <class Number>
    Options& within(Number least, Number most);
    /// `problem` says what is wrong with a value; an empty text: nothing.
    Options& check(std::string (*problem)(const std::string& value));
    /// Taken only beside an earlier option; or never beside it.
    Options& needs(const char* name);
    Options& excludes(const char* name);

    /// What --help says behind the options.
    void footer(const std::string& text);

  private:
    Options& add(CLI::Option* option);

    CLI::App& app_;
    CLI::Option* last_ = nullptr;
};

}  // namespace muster::cli
