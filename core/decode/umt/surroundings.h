// The words around a node of the forest in the best derivation that goes through it, as the
// language model sees them.
//
// They reach from <s> to </s>, so that whatever fills the node is scored as in a whole sentence.
// Around the Goal there is nothing.
#pragma once

#include "lm/chart.h"

namespace demotic::decode::umt {

struct Surroundings {
  lm::State before{};
  lm::Fragment after{};
  float seam = 0;  // log10 that the node's own best branch gains between them, part of its bound
};

}  // namespace demotic::decode::umt
