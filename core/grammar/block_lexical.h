// Lexical weights of blocks, from the blocks of one word on each side.
//
//   std::vector<float> costs = lexical_costs(table, threads);
//
// -ln p(S|T) of each block: p(S|T) = prod_j (1 / N(s_j, T)) sum_i p(s_j|t_i), where N(s_j, T) is
// the number of i with p(s_j|t_i) > 0.  `literal` normalises p(s|t) over the targets of s, as the
// paper's formula prints it; `koehn` over the sources of t.
#pragma once

#include <vector>

#include "grammar/block_table.h"

namespace demotic::grammar {

inline constexpr double kFloor = 1e-7;  // of probabilities

std::vector<float> lexical_costs(const BlockTable& table, unsigned threads);

}  // namespace demotic::grammar
