#include <cstdio>

#include <muster/cli/support/json.hpp>

namespace muster::cli {

Json to_json(const report::Json& json) { return Json::parse(json.text()); }

std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_json(const Json& json) {
    const std::string text = json_text(json);
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace muster::cli
