#include "bind/bind.h"

namespace demotic::bind {

void align(nb::module_&) {}

}  // namespace demotic::bind
