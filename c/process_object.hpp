// process_object.hpp - the process as an object, and tickets as objects for a moment. Threads: any.
#pragma once

#include <memory>
#include <utility>

#include <muster/c/objects.hpp>

namespace muster::c {

/// MUSTER_PROCESS. It lives as long as the process.
std::shared_ptr<const Object> process_object();

class TicketObject final : public ObjectOf<MUSTER_KIND_TICKET> {
  public:
    explicit TicketObject(Ticket is) : ticket_(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override {
        if (property == MUSTER_IS_DONE) return number(ticket_.done() ? 1 : 0);
        return no_property(property);
    }

  private:
    Ticket ticket_;
};

}  // namespace muster::c
