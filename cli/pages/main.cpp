// write_pages FOLDER - writes the tool's manual and the shells' completions, as the build installs them. The
// manual's date is SOURCE_DATE_EPOCH's if that is set, else today's.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <muster/cli/pages/completions.hpp>
#include <muster/cli/pages/man_page.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/driver/platform/environment_variable.hpp>

namespace {

std::string today() {
    const auto epoch = muster::platform::environment_variable("SOURCE_DATE_EPOCH");
    const std::time_t now = epoch ? std::strtoll(epoch->c_str(), nullptr, 10) : std::time(nullptr);
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

bool write(const std::string& path, const std::string& text) {
    const auto written = muster::cli::write_file(path, std::as_bytes(std::span(text.data(), text.size())));
    if (!written) muster::cli::complain(written.error().to_string() + "\n");
    return written.has_value();
}

}  // namespace

int main(int count, char** arguments) {
    using namespace muster::cli;
    if (count != 2) {
        complain("write_pages takes one argument.\nFix: write_pages FOLDER\n");
        return static_cast<int>(Exit::usage);
    }
    const std::string folder = arguments[1];
    const auto commands = command_line_help();
    const bool all = write(folder + "/muster.1", man_page(commands, today())) &&
                     write(folder + "/muster.bash", bash_completion(commands)) &&
                     write(folder + "/_muster", zsh_completion(commands)) &&
                     write(folder + "/muster.fish", fish_completion(commands));
    return static_cast<int>(all ? Exit::done : Exit::failed);
}
