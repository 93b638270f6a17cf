#include "io/packed_ints.h"

namespace demotic::io {

void PackedIntsWriter::save(ContainerWriter& out, std::string_view name) {
  const size_t width = this->width();
  std::vector<std::byte> packed;
  out.begin(name);
  spill_.each_block(sizeof(uint32_t), [&](std::span<const std::byte> block) {
    packed.resize(block.size() / sizeof(uint32_t) * width);
    const std::byte* from = block.data();
    for (std::byte* to = packed.data(); to != packed.data() + packed.size(); to += width) {
      std::memcpy(to, from, width);
      from += sizeof(uint32_t);
    }
    out.write(packed.data(), packed.size());
  });
  const std::byte slack[4] = {};
  out.write(slack, sizeof slack - width);
}

}  // namespace demotic::io
