// Loops over several numbers at once, compiled for machines with wider registers too.  No
// instruction fuses operations, so all of them give the same bits.
//
//   DEMOTIC_WIDE double sum(const double* x) { DEMOTIC_LOAD(Doubles, four, x); ... }
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define DEMOTIC_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define DEMOTIC_WIDE
#endif

// Registers wider than the machine's are no arguments of functions: these are written in place.
#define DEMOTIC_LOAD(type, name, from) \
  type name;                           \
  std::memcpy(&name, from, sizeof(name))

namespace demotic::learn {

using Doubles = double __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(16)));
using Bits = uint64_t __attribute__((vector_size(32)));

}  // namespace demotic::learn
