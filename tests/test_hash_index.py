"""core/hash_index.h, compiled by itself and compared with std::map."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "core"

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <map>
#include "hash_index.h"
#include "io/checksum.h"

using demotic::HashIndex;

// seed, keys, buckets: adds and looks for keys in many lives of one index, short and long, with
// at most so many different hashes; prints the first difference from a map.
int main(int, char** arguments) {
  uint64_t state = std::strtoull(arguments[1], nullptr, 10);
  const uint64_t most = std::strtoull(arguments[2], nullptr, 10);
  const uint64_t buckets = std::strtoull(arguments[3], nullptr, 10);
  const auto random = [&] { return state = demotic::io::mix64(state + 0x9e3779b97f4a7c15ull); };
  const auto hash = [&](uint64_t key) { return demotic::io::mix64(key % buckets); };
  const auto fail = [](const char* what) { std::printf("%s", what); std::exit(0); };
  HashIndex index;
  for (int life = 0; life < 60; ++life) {
    index.clear();
    std::vector<uint64_t> keys;
    std::map<uint64_t, uint32_t> expected;
    const uint64_t range = 1 + random() % (life % 3 == 0 ? most : 50);
    if (life % 5 == 4) index.reserve(range);
    for (uint64_t i = 0; i < 2 * range; ++i) {
      const uint64_t key = random() % range;
      const auto same = [&](uint32_t number) { return keys[number] == key; };
      const auto known = expected.find(key);
      const uint32_t found = index.find(hash(key), same);
      if (found != (known == expected.end() ? HashIndex::kNone : known->second)) fail("find");
      const auto next = static_cast<uint32_t>(keys.size());
      uint32_t number = next;
      if (found == HashIndex::kNone && i % 2 == 0)
        index.add(hash(key), next);
      else
        number = index.find_or_add(hash(key), next, same);
      if (number != (known == expected.end() ? next : known->second)) fail("find_or_add");
      if (number == next) keys.push_back(key);
      expected.emplace(key, number);
      if (index.size() != expected.size()) fail("size");
    }
  }
  // Numbers so high that the counts of earlier lives must be given up.
  for (uint32_t life = 0; life < 5; ++life) {
    index.clear();
    for (uint32_t i = 0; i < 10; ++i) index.add(hash(i), HashIndex::kNone - 1 - i);
    for (uint32_t i = 0; i < 10; ++i) {
      const auto same = [&](uint32_t number) { return number == HashIndex::kNone - 1 - i; };
      if (index.find(hash(i), same) != HashIndex::kNone - 1 - i) fail("high numbers");
    }
  }
  const auto never = [](size_t) { return false; };
  if (demotic::probe(8, 5, never) != 8 || demotic::probe(0, 5, never) != 0) fail("probe");
  if (demotic::probe(8, 13, [](size_t at) { return at == 2; }) != 2) fail("probe goes round");
  std::printf("the same");
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("hash_index")
    (folder / "program.cc").write_text(PROGRAM)
    checks = ["-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    checks += ["-fno-sanitize-recover=undefined"]
    subprocess.run(
        [compiler, "-std=c++20", *checks, f"-I{CORE}", "program.cc", "-o", "program"],
        cwd=folder,
        check=True,
    )
    return folder / "program"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("keys", "buckets"), [(3, 10**9), (5000, 10**9), (300, 7), (200, 1)])
def test_index_equals_a_map(program: Path, seed: int, keys: int, buckets: int) -> None:
    arguments = map(str, (seed, keys, buckets))
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "the same"
