#include "io/row_extents.h"

namespace demotic::io {

void RowExtentsWriter::save_blocks(ContainerWriter& out, const std::string& prefix) {
  RowBlock block{};
  uint32_t rows = 0;
  uint32_t end = 0;
  out.begin(prefix + ".blocks");
  const auto close = [&] {
    out.write(&block, sizeof block);
    block = {end, {}};
    rows = 0;
  };
  each_length([&](uint32_t length) {
    block.lengths[rows++] = static_cast<uint8_t>(length);
    end += length;
    if (rows == kRowsOfBlock) close();
  });
  if (rows > 0) close();
}

}  // namespace demotic::io
