#!/bin/sh
# Checks for what cannot come from PyPI: a C++20 compiler, CMake, Python's headers and venv.
# As root on Debian or Ubuntu the missing ones are installed; otherwise this says what to install.
# "setup.sh test" looks for the browser that tests of the page want, and for the Java that tests on
# Spark want; they are skipped without.
set -eu
PYTHON=${PYTHON:-python3}
missing=
if [ "${1:-}" = test ]; then
  command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || missing=chromium
  command -v java >/dev/null 2>&1 || missing="$missing openjdk-17-jre-headless"
  [ -z "$missing" ] && exit 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $missing"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null; } ||
      echo "could not be installed: $missing; tests that want it are skipped" >&2
  else
    echo "tests that want these are skipped: $missing (on Debian: sudo apt-get install $missing)" >&2
  fi
  exit 0
fi
command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || missing="$missing g++"
command -v cmake >/dev/null 2>&1 || missing="$missing cmake"
"$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
"$PYTHON" -c 'import sysconfig, os, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' \
  >/dev/null 2>&1 || missing="$missing python3-dev"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing$missing"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null
else
  echo "Demotic needs these packages:$missing" >&2
  echo "On Debian or Ubuntu: sudo apt-get install$missing" >&2
  exit 1
fi
