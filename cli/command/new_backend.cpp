// Writes cli/new_backend/ under another name, or, in another language, the example's source with what lies in cli/new_backend_c/
// or cli/new_backend_rust/: a backend that works at once, to be changed step by step.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct NewBackendArguments {
    std::string folder;  // its name is the backend's id
    std::string language = "c++";
};

struct NewFile {
    std::string_view name, text;
};
constexpr NewFile files_in_cxx[]{
#include "new_backend_files.inc"
};
constexpr NewFile files_in_c[]{
#include "new_backend_c_files.inc"
};
constexpr NewFile files_in_rust[]{
#include "new_backend_rust_files.inc"
};

struct NewLanguage {
    std::string_view name;
    std::span<const NewFile> files;
    std::string_view runs;  // what runs its programs
};
constexpr NewLanguage languages[]{{"c++", files_in_cxx, "muster's interpreter"},
                                  {"c", files_in_c, "the system's C compiler"},
                                  {"rust", files_in_rust, "the system's C compiler"}};

/// Refuses what can't be an id, and the ids of backends that the tool is linked with.
Result<void> check_new_id(const std::string& id) {
    if (!valid_id(id) || id.size() >= Id{}.characters.size())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" isn't a backend's id: up to 31 lower-case letters, digits, '-' and "
                                "'_', a letter first.",
                                id),
                    "the folder's name is the id: name it so");
    if (find_backend(id) != nullptr)  // not in a plugin: that may be an earlier one of the author's
        return fail(ErrorCode::conflict, fmt::format("muster has a backend \"{}\" of its own.", id),
                    "give the new one another id");
    return {};
}

/// The id as the beginning of a class's name: OpenCl2 for open-cl_2.
std::string class_name(std::string_view id) {
    std::string name;
    bool begins = true;
    for (const char c : id) {
        const bool is_word = c != '-' && c != '_';
        if (is_word) name += begins ? static_cast<char>(std::toupper(c)) : c;
        begins = !is_word;
    }
    return name;
}

/// A file's text for the backend `id`. The sources are compilable as they are: in C++ for a backend "mine".
std::string text_for(const std::string& id, std::string_view text) {
    const std::string word = replaced(id, "-", "_");
    std::string made = replaced(std::string(text), "@ID@", id);
    made = replaced(std::move(made), "backend_mine", "backend_" + word);
    made = replaced(std::move(made), "libmine", "lib" + word);
    made = replaced(std::move(made), "mineInit", word + "_init");
    return replaced(std::move(made), "Mine", class_name(id));
}

Result<void> write_new_backend(const std::filesystem::path& folder, const std::string& id,
                               const NewLanguage& language) {
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error)) {
        if (!error || error == std::errc::file_exists)
            return fail(ErrorCode::conflict, fmt::format("There is a \"{}\" already.", folder.string()),
                        "give the backend another name, or remove that");
        return fail(ErrorCode::not_found,
                    fmt::format("The folder \"{}\" can't be made: {}.", folder.string(), error.message()),
                    "make the folder that it shall be in");
    }
    for (const NewFile& file : language.files) {
        const std::string text =
            language.name == "c++" ? text_for(id, file.text) : replaced(std::string(file.text), "@ID@", id);
        auto written = write_text((folder / file.name).string(), text);
        if (written) continue;
        std::filesystem::remove_all(folder, error);  // else the next attempt would find it there
        return written;
    }
    return {};
}

void declare(Options& options, NewBackendArguments& to) {
    options.argument(to.folder, "NAME", "The backend's id, or a folder to write whose name is the id");
    std::vector<std::string> names;
    for (const NewLanguage& language : languages) names.emplace_back(language.name);
    options
        .value(to.language, "--language", "LANGUAGE",
               "The language of its sources: c++, c, rust (default: c++)")
        .one_of(names);
    options.footer("\nExample:\n  muster new-backend build/mine");
}

Attempt<Exit> perform(const NewBackendArguments& arguments) {
    const std::filesystem::path given(arguments.folder);
    const std::filesystem::path folder = given.has_filename() ? given : given.parent_path();  // "mine/"
    const std::string id = folder.filename().string();
    TRY(step(check_new_id(id)));
    const NewLanguage& language = *std::ranges::find(languages, arguments.language, &NewLanguage::name);
    TRY(step(write_new_backend(folder, id, language)));
    say(
        fmt::format("{0} has the sources of the backend {1}, which runs programs with {2}.\n"
                    "Build it and see it work:\n"
                    "  cmake -S {0} -B {0}/build\n"
                    "  cmake --build {0}/build\n"
                    "  MUSTER_BACKEND_PATH={0}/build muster backends --open\n"
                    "{0}/README.md says what to fill in next.\n",
                    folder.string(), id, language.runs));
    return Exit::done;
}

}  // namespace

const Verb verbs::new_backend{"new-backend",
                              "Write the sources of a backend of your own, which works at once",
                              command<NewBackendArguments, declare, perform>};

}  // namespace muster::cli
