// Text between Python and the core, which is UTF-8 here and something else there.  Both ways always
// succeed: what is no text on the other side, bytes of a damaged file or halves of characters
// ("\ud800"), becomes U+FFFD.  In place of nanobind's own headers for strings, which end such calls
// with a UnicodeDecodeError or a TypeError.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace demotic::bind {

inline PyObject* text_of(std::string_view value) {
  PyObject* text = PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
  if (text != nullptr || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return text;
  PyErr_Clear();
  return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace");
}

// The same text with U+FFFD for each half of a character, a new object; null where memory is out.
inline PyObject* whole_characters(PyObject* text) {
  const nanobind::object halves =
      nanobind::steal(PyUnicode_AsEncodedString(text, "utf-16-le", "surrogatepass"));
  if (!halves.is_valid()) return nullptr;
  int little = -1;
  return PyUnicode_DecodeUTF16(PyBytes_AS_STRING(halves.ptr()), PyBytes_GET_SIZE(halves.ptr()),
                               "replace", &little);
}

}  // namespace demotic::bind

namespace nanobind::detail {

template <class String>
struct utf8_caster {
  NB_TYPE_CASTER(String, const_name("str"))

  bool from_python(handle source, uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      whole_ = steal(demotic::bind::whole_characters(source.ptr()));
      if (whole_.is_valid()) text = PyUnicode_AsUTF8AndSize(whole_.ptr(), &size);
      if (text == nullptr) {
        PyErr_Clear();
        return false;
      }
    }
    value = String(text, static_cast<size_t>(size));
    return true;
  }

  static handle from_cpp(std::string_view value, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    return demotic::bind::text_of(value);
  }

 private:
  object whole_;  // keeps the bytes that a view looks at
};

template <>
struct type_caster<std::string> : utf8_caster<std::string> {};
template <>
struct type_caster<std::string_view> : utf8_caster<std::string_view> {};

}  // namespace nanobind::detail
