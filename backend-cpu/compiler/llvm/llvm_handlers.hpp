// llvm_handlers.hpp - what LLVM calls where it can't go on: no memory, or a fault of its own.
//
//     const LlvmHandlers while_llvm_works;
//
// They are LLVM's, so the process's, and must not return: they end it with a sentence. They are set while one of these lives.
// Where the program had loaded this LLVM before the module came, they are the program's, and stay as they are. Threads: any.
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
