// snippets.hpp - what the C++ blocks of documents use without declaring it (compile_snippets).
#pragma once

#include <iostream>
#include <utility>
#include <vector>

#include <muster/cluster.hpp>
#include <muster/muster.hpp>

extern muster::Session session;
extern muster::ValidProgram program;
extern muster::Kernel count, scale;
extern muster::Buffer keys, counts, saved, sums;
extern muster::Result<muster::Ticket> ticket;
extern std::uint64_t n;
extern std::uint32_t width, height;
extern std::vector<float> plate;
void use(const std::vector<float>& values);
