// ends_without_memory.hpp - a process that ends with a sentence where LLVM finds no memory.
//
//     const EndsWithoutMemory while_llvm_works;
//
// LLVM is built without exceptions: std::bad_alloc on its way through it leaves it broken, and what is broken crashes later.
// So while one of these lives, a `new` of its thread that finds no memory says so and aborts. Other threads are as they
// were: std::set_new_handler's handler is the process's, so this one asks which thread it is on, and passes on what isn't its
// own. Threads: each has its own.
#pragma once

namespace muster::cpu {

class EndsWithoutMemory {
  public:
    EndsWithoutMemory();
    ~EndsWithoutMemory();
    EndsWithoutMemory(const EndsWithoutMemory&) = delete;
    EndsWithoutMemory& operator=(const EndsWithoutMemory&) = delete;
};

}  // namespace muster::cpu
