#include <memory>
#include <vector>

#include <muster/c/answer.hpp>
#include <muster/driver/platform/per_thread.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::c {
namespace {

struct LastError {
    bool is_set = false;
    muster_status status = MUSTER_OK;
    Error error;
    std::string text;                  // made when it is asked for
    std::vector<muster_string> steps;  // likewise
};

PerThread<LastError>& last_errors() {
    // Never destroyed, since it outlives every static that might still call, and made without an allocation.
    static union Kept {
        Kept() : all() {}
        ~Kept() {}
        PerThread<LastError> all;
    } kept;
    return kept.all;
}

/// Set if this thread's last error is that there was no memory, not even for telling of it.
constinit thread_local bool is_without_memory = false;

constexpr std::string_view no_memory_text = "Out of memory.";

LastError* next_error() noexcept {
    LastError* const last = last_errors().find();
    is_without_memory = last == nullptr;
    if (last == nullptr) return nullptr;
    last->is_set = true;
    last->text.clear();
    last->steps.clear();
    return last;
}

void tell(muster_error& to, muster_status status, const Error& error, std::string_view text,
          const muster_string* steps) {
    to.status = status;
    to.message = view(error.message);
    to.fix = view(error.fix);
    to.text = view(text);
    to.steps = steps;
    to.step_count = error.context.size();
}

}  // namespace

muster_status status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return MUSTER_ERROR_INVALID_ARGUMENT;
        case ErrorCode::invalid_program: return MUSTER_ERROR_INVALID_PROGRAM;
        case ErrorCode::unsupported: return MUSTER_ERROR_UNSUPPORTED;
        case ErrorCode::limit_exceeded: return MUSTER_ERROR_LIMIT_EXCEEDED;
        case ErrorCode::not_found: return MUSTER_ERROR_NOT_FOUND;
        case ErrorCode::conflict: return MUSTER_ERROR_CONFLICT;
        case ErrorCode::refused: return MUSTER_ERROR_REFUSED;
        case ErrorCode::unavailable: return MUSTER_ERROR_UNAVAILABLE;
        case ErrorCode::compile_failed: return MUSTER_ERROR_COMPILE_FAILED;
        case ErrorCode::compile_timed_out: return MUSTER_ERROR_COMPILE_TIMED_OUT;
        case ErrorCode::device_lost: return MUSTER_ERROR_DEVICE_LOST;
        case ErrorCode::out_of_memory: return MUSTER_ERROR_OUT_OF_MEMORY;
        case ErrorCode::timed_out: return MUSTER_ERROR_TIMED_OUT;
        case ErrorCode::io_failed: return MUSTER_ERROR_IO_FAILED;
        case ErrorCode::internal: return MUSTER_ERROR_INTERNAL;
    }
    return MUSTER_ERROR_INTERNAL;
}

muster_status keep(Fault&& fault) noexcept {
    LastError* const last = next_error();
    if (last == nullptr) return MUSTER_ERROR_OUT_OF_MEMORY;
    last->status = fault.status;
    last->error = std::move(fault.error);
    return fault.status;
}

muster_status keep_out_of_memory() noexcept { return keep(Fault(out_of_memory())); }

muster_status keep_exception(std::string_view what) noexcept {
    try {
        return keep(Fault({ErrorCode::internal,
                           "muster throws: " + printable(what) + ".",
                           "report this to muster's authors: its functions return errors, they don't throw",
                           {}}));
    } catch (...) {
        return keep_out_of_memory();
    }
}

bool tell_last_error(muster_error& to) {
    if (is_without_memory) {
        to.status = MUSTER_ERROR_OUT_OF_MEMORY;
        to.message = to.text = view(no_memory_text);
        return true;
    }
    LastError* const last = last_errors().find();
    if (last == nullptr || !last->is_set) return false;
    const std::size_t steps = last->error.context.size();
    try {
        if (last->text.empty()) last->text = last->error.to_string();
        if (last->steps.empty())
            for (const std::string& step : last->error.context) last->steps.push_back(view(step));
    } catch (const std::bad_alloc&) {  // the message alone needs no more memory
        last->steps.clear();
    }
    tell(to, last->status, last->error,
         last->text.empty() ? std::string_view(last->error.message) : last->text, last->steps.data());
    if (last->steps.size() != steps) to.step_count = 0;
    return true;
}

ToldError::ToldError(const Error& error) : text_(error.to_string()) {
    steps_ = std::make_unique<muster_string[]>(error.context.size());
    for (std::size_t i = 0; i < error.context.size(); ++i) steps_[i] = view(error.context[i]);
    told_.struct_size = sizeof(told_);
    tell(told_, status_of(error.code), error, text_, steps_.get());
}

}  // namespace muster::c
