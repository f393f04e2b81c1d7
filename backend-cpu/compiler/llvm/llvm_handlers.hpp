// llvm_handlers.hpp - the handlers that LLVM calls when it runs out of memory or meets
// a fatal error of its own.
//
//     const LlvmHandlers while_llvm_works;
//
// The handlers are process-wide and must not return, so ours print a message and end the process. They are
// set while an object lives, unless the program had loaded this LLVM before the module was opened: then its
// own handlers stay. Threads: any.
#pragma once

namespace muster::cpu {

class LlvmHandlers {
  public:
    LlvmHandlers();
    ~LlvmHandlers();
    LlvmHandlers(const LlvmHandlers&) = delete;
    LlvmHandlers& operator=(const LlvmHandlers&) = delete;
};

}  // namespace muster::cpu
