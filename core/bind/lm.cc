#include "bind/bind.h"

namespace demotic::bind {

void lm(nb::module_&) {}

}  // namespace demotic::bind
