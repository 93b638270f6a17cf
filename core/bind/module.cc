
#include <string_view>

#include "bind/bind.h"
#include "io/error.h"

namespace nb = nanobind;

namespace {

const char* class_of(demotic::io::Fault fault) {
  switch (fault) {
    case demotic::io::Fault::format:
      return "FormatError";
    case demotic::io::Fault::corrupt:
      return "CorruptFileError";
    case demotic::io::Fault::io:
      return "FileAccessError";
    case demotic::io::Fault::argument:
      return "ArgumentError";
  }
  return "DemoticError";
}

// demotic.errors owns the classes, so that `except` clauses read the same for Python and core code.
void raise_in_python(const demotic::io::Error& error) {
  nb::object type = nb::module_::import_("demotic.errors").attr(class_of(error.fault));
  nb::object line = error.line == 0 ? nb::none() : nb::object(nb::int_(error.line));
  // A message may quote a piece of a damaged file, or half of a character.
  const std::string_view what = error.what();
  nb::object message = nb::steal(PyUnicode_DecodeUTF8(what.data(), what.size(), "replace"));
  nb::object value = type(message, nb::arg("line") = line, nb::arg("remedy") = error.remedy);
  PyErr_SetObject(type.ptr(), value.ptr());
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of Demotic: arrays in, arrays out; the public API is the demotic package";
  nb::set_leak_warnings(false);  // a model that lives until the interpreter ends is no leak
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const demotic::io::Error& error) {
      raise_in_python(error);
    }
  });
  demotic::bind::io(m);
  demotic::bind::text(m);
  demotic::bind::features(m);
  demotic::bind::memory(m);
  demotic::bind::lm(m);
  demotic::bind::lm_estimate(m);
  demotic::bind::align_io(m);
  demotic::bind::align(m);
  demotic::bind::metrics(m);
  demotic::bind::forest(m);
  demotic::bind::grammar_table(m);
  demotic::bind::grammar(m);
  demotic::bind::confusion(m);
  demotic::bind::learn(m);
  demotic::bind::risk_set(m);
  demotic::bind::boosting(m);
  demotic::bind::decode(m);
  demotic::bind::labels(m);
  demotic::bind::phrase(m);
  demotic::bind::amasis(m);
  demotic::bind::undirected(m);
  demotic::bind::local_model(m);
  demotic::bind::blocks(m);
  demotic::bind::block_events(m);
  demotic::bind::block_decoder(m);
  demotic::bind::trees(m);
  demotic::bind::frontier(m);
  demotic::bind::transducer(m);
  demotic::bind::word_choices(m);
}
