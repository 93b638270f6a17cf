#include "bind/bind.h"

namespace demotic::bind {

void metrics(nb::module_&) {}

}  // namespace demotic::bind
