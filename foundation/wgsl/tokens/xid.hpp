// xid.hpp - the code points that identifiers may contain (WGSL section "Identifiers", Unicode 14 Annex #31).
#pragma once

namespace muster::wgsl {

bool is_xid_start(char32_t c);
bool is_xid_continue(char32_t c);

}  // namespace muster::wgsl
