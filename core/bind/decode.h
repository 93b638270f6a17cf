// Arguments and results that the bindings of several decoders share.
#pragma once

#include <span>
#include <string>

#include "bind/bind.h"
#include "decode/context_free_forest.h"

namespace demotic::bind {

ParseOptions parse_options(uint32_t span_limit, uint64_t max_edges, const std::string& glue,
                           const std::string& goal, const std::string& default_category);
bool is_eager(const std::string& name);  // or lazy
nb::list words_of(std::span<const std::string> words);

}  // namespace demotic::bind
