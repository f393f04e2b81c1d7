// The file of `muster pipeline`: any bytes are a pipeline or an error.
#include <muster/cli/input/pipeline_file.hpp>

#include "target.hpp"

namespace muster::fuzz {

void check(std::string_view text) {
    const auto pipeline = cli::parse_pipeline(text);
    if (!pipeline) {
        expect(!pipeline.error().message.empty(), "an error says what is wrong");
        return;
    }
    for (const cli::PipelineStep& step : pipeline->steps) expect(!step.place.empty(), "a step has a place");
}

}  // namespace muster::fuzz
