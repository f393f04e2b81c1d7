// open_model.hpp - opens a model of any format. Threads: any.
#pragma once

#include <memory>

#include <muster/c/parts.hpp>

namespace muster::c {

Result<std::shared_ptr<OpenModel>> open_model(Session session, const ModelSource& source);

}  // namespace muster::c
