// may_run.hpp - the one answer to "may I run code from here?", for everything that opens
// libraries or starts programs.
//
//     if (const auto why = why_not_run(file)) return std::unexpected(*why);
//
// The file and each folder above it, with links resolved, must be such that nobody may change them
// who doesn't run code in this process already (code_rule.hpp). docs/security.md says what that means
// for users. Threads: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// The reason why code in this file isn't run, and its fix; none if it may be, and of a file that isn't
/// there. `module`: the file that has the code that asks; empty: the driver's. The program's file asks with
/// it. Errors: refused, io_failed.
std::optional<Error> why_not_run(const std::string& file, const std::string& module = {});

/// As why_not_run(), of one of several places that are tried in turn; also notes the
/// answer for code_passed_over().
std::optional<Error> passed_over(const std::string& file, const std::string& module = {});

/// The files of muster's own that were there and weren't used, each once, with the reason and the fix.
std::vector<Error> code_passed_over();

MUSTER_API_END
}  // namespace muster::platform
