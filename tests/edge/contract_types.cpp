// contract_types.cpp - a function whose parameter leads to every type that the driver and a backend share.
#include <muster/backend_sdk.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster {

struct ContractTypes {
    const BackendRegistration* registration;
    const BackendPrecedence* precedence;
    const BackendCapability* capability;
    const BackendExpectation* expectation;
    const BackendEnvironment* environment;
    const BackendPatterns* patterns;
    Factory factory;
    SupportedOps supported_ops;
    PackFunction pack_function;
    const Backend* backend;
    const Device* device;
    const Memory* memory;
    const Executable* executable;
    const Submission* submission;
    const SubmissionOutcome* outcome;
    const BoundMemory* bound;
    const Launch* launch;
    const MemoryTransfer* transfer;
    const GraphCompiler* graph_compiler;
    const graph::Pack* pack;
};

extern "C" __attribute__((visibility("default"))) const void* reach(const ContractTypes& all) {
    return all.backend;
}

}  // namespace muster
