"""core/features/sparse_rows.h, compiled by itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"

PROGRAM = r"""
#include <cmath>
#include <cstdio>
#include <vector>
#include "features/sparse_rows.h"

using namespace demotic;
using features::SparseRowsView;

void expect(bool holds, const char* what) {
  if (!holds) std::printf("%s\n", what);
}

bool refused(const SparseRowsView& view, size_t rows, uint32_t features) {
  try {
    check(view, rows, features, io::Fault::corrupt);
    return false;
  } catch (const io::Error& error) {
    return error.fault == io::Fault::corrupt;
  }
}

int main(int, char** arguments) {
  features::SparseRows rows;
  const std::vector<uint32_t> ids{3, 0};
  const std::vector<float> values{2.0f, -1.0f};
  rows.add({ids, values});
  rows.add({});
  rows.add({std::span(ids).first(1), std::span(values).first(1)});
  const SparseRowsView view = rows.view();
  expect(view.size() == 3 && view[0].size() == 2 && view[1].empty(), "sizes");
  expect(view[2].ids[0] == 3 && view[2].values[0] == 2.0f, "the last row");
  expect(view[3].empty(), "a row that is not there is empty");
  const std::vector<double> weights{10.0, 0.0, 0.0, 0.5};
  expect(dot(view[0], std::span<const double>(weights)) == -9.0, "dot");
  expect(dot(view[0], std::span<const double>(weights).first(1)) == -10.0, "ids out of range");
  expect(!refused(view, 3, 4), "a sound view is taken");
  expect(refused(view, 3, 3), "an unknown feature");
  expect(refused(view, 2, 4), "another number of rows");
  const std::vector<uint64_t> torn{0, 3, 2, 3}, beyond{0, 2, 2, 9};
  expect(refused({torn, view.ids, view.values}, 3, 4), "borders must ascend");
  expect(refused({beyond, view.ids, view.values}, 3, 4), "borders must end with the ids");
  expect((SparseRowsView{torn, view.ids, view.values}[1].empty()), "a torn row is empty");
  expect((SparseRowsView{beyond, view.ids, view.values}[2].empty()), "a long row is empty");
  const std::vector<float> infinite{1.0f, INFINITY, 1.0f};
  expect(refused({view.ends, view.ids, infinite}, 3, 4), "values are finite");
  expect(refused({view.ends, view.ids, view.values.first(2)}, 3, 4), "a value per id");
  try {
    rows.add({ids, infinite});
    expect(false, "features without values are refused");
  } catch (const io::Error&) {
  }
  {
    io::ContainerWriter out(arguments[1], "rows", 1);
    view.save(out, "sparse");
    out.finish();
  }
  const io::Container in(arguments[1], "rows", 1);
  const SparseRowsView loaded = SparseRowsView::load(in, "sparse");
  check(loaded, 3, 4, io::Fault::corrupt);
  expect(loaded[0].ids[1] == 0 && loaded[0].values[1] == -1.0f, "saved and loaded");
  rows.clear();
  expect(rows.size() == 0 && rows.view().ids.empty(), "cleared");
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_rows_are_kept_checked_and_read_within_bounds(tmp_path: Path) -> None:
    source = tmp_path / "rows.cc"
    source.write_text(PROGRAM, encoding="utf-8")
    parts = [CORE / "features/sparse_rows.cc", CORE / "io/container.cc", CORE / "io/mapped_file.cc"]
    flags = ["-std=c++20", "-O0", "-Wall", "-Werror", f"-I{CORE}", "-fsanitize=address,undefined"]
    subprocess.run(["g++", *flags, source, *parts, "-o", tmp_path / "rows"], check=True)
    done = subprocess.run(
        [tmp_path / "rows", tmp_path / "rows.bin"], check=True, capture_output=True, text=True
    )
    assert done.stdout == ""
