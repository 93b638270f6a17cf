// Arrays between Python and the core: numpy arrays in as spans, vectors out without a copy.
//
//   .def("rescore", [](const Forest& f, Input<double> w) { return numpy(scores(f, span_of(w))); },
//        nb::arg("weights").noconvert())       noconvert, or another type is copied silently
#pragma once

#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "bind/bind.h"

namespace demotic::bind {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> copy_of(const Input<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class T>
Output<T> numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> numpy(std::vector<T> values, const std::vector<size_t>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

}  // namespace demotic::bind
