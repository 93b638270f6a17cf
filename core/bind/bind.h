// What every binding file shares.  A binding file turns Python arguments into core types, releases
// the interpreter lock, calls one kernel and turns the result back; nothing else lives here.  Each
// function below is in the file of its name.  Text is converted by strings.h, never by nanobind's
// own headers for strings.
#pragma once

#include <nanobind/nanobind.h>

#include "bind/strings.h"

namespace demotic::bind {

namespace nb = nanobind;

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// What `work` gives, done without the interpreter lock: for calls whose arguments or results are
// Python's.  Short ones, of a sentence at most, keep the lock (tests/test_unlocked.py lists them).
template <class Work>
auto unlocked(Work&& work) {
  const nb::gil_scoped_release released;
  return work();
}

void io(nb::module_& m);
void text(nb::module_& m);
void features(nb::module_& m);
void lm(nb::module_& m);
void lm_estimate(nb::module_& m);
void memory(nb::module_& m);
void align(nb::module_& m);
void align_io(nb::module_& m);
void metrics(nb::module_& m);
void forest(nb::module_& m);
void grammar_table(nb::module_& m);
void grammar(nb::module_& m);
void confusion(nb::module_& m);
void learn(nb::module_& m);
void risk_set(nb::module_& m);
void boosting(nb::module_& m);
void decode(nb::module_& m);
void labels(nb::module_& m);
void phrase(nb::module_& m);
void amasis(nb::module_& m);
void undirected(nb::module_& m);
void local_model(nb::module_& m);
void blocks(nb::module_& m);
void block_events(nb::module_& m);
void block_decoder(nb::module_& m);
void frontier(nb::module_& m);
void trees(nb::module_& m);
void transducer(nb::module_& m);
void word_choices(nb::module_& m);

}  // namespace demotic::bind
