// A description as one flat block of 8-byte words that can be written to a file, moved, and read anywhere.
//
// Layout, little-endian: the eight letters "TRKMBODY"; version; number of words that follow the next; checksum of these
// (FNV-1a over their bytes); the words, all of them doubles. A whole number, a truth and a count are doubles with
// that value, a text is its length and its bytes, eight to a word. What is read is checked before it is used: a
// damaged file gives a sentence.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "trackrod/vector.hpp"

namespace trackrod::multibody {

constexpr char data_file_magic[] = "TRKMBODY";
constexpr std::uint64_t data_file_version = 2;
constexpr std::size_t data_file_header = 4;  // [words]

namespace detail {

inline std::uint64_t checksum(const unsigned char* bytes, std::size_t count) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (std::size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 1099511628211ULL;
  return sum;
}

// Takes the members of structures as `fields` hands them out, and appends them.
class WordWriter {
 public:
  std::vector<double> words;

  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }

 private:
  void put(double& x) { words.push_back(x); }
  void put(int& x) { words.push_back(x); }
  void put(bool& x) { words.push_back(x ? 1.0 : 0.0); }
  void put(Vec3<double>& v) { (*this)(v.x, v.y, v.z); }
  void put(Mat3<double>& m) {
    for (int i = 0; i < 9; ++i) words.push_back(m(i / 3, i % 3));
  }
  void put(std::string& text) {
    const std::size_t begin = words.size() + 1;
    words.push_back(static_cast<double>(text.size()));
    words.resize(begin + (text.size() + 7) / 8, 0.0);
    std::memcpy(words.data() + begin, text.data(), text.size());
  }
  template <class T>
  void put(std::vector<T>& list) {
    words.push_back(static_cast<double>(list.size()));
    for (T& item : list) put(item);
  }
  template <class T, std::size_t n>
  void put(T (&list)[n]) {
    for (T& item : list) put(item);
  }
  template <class T>
  void put(T& structure) {
    fields(structure, *this);
  }
};

// The same members from words; never reads beyond them.
class WordReader {
 public:
  WordReader(const double* words, std::size_t count) : words_(words), left_(count) {}

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  bool ok() const { return ok_; }
  std::size_t left() const { return left_; }

 private:
  double next() {
    if (left_ == 0) ok_ = false;
    if (!ok_) return 0.0;
    --left_;
    double x;
    std::memcpy(&x, words_++, sizeof x);
    return x;
  }
  // No list is longer than the words that are left.
  std::size_t count(std::size_t to_a_word = 1) {
    const double x = next();
    if (!(x >= 0.0 && x <= static_cast<double>(left_ * to_a_word) && x == std::floor(x))) ok_ = false;
    return ok_ ? static_cast<std::size_t>(x) : 0;
  }
  void take(double& x) {
    x = next();
    if (std::isnan(x)) ok_ = false;
  }
  void take(int& x) {
    const double value = next();
    if (!(std::fabs(value) < 1e9 && value == std::floor(value))) ok_ = false;
    x = ok_ ? static_cast<int>(value) : 0;
  }
  void take(bool& x) { x = next() != 0.0; }
  void take(Vec3<double>& v) { (*this)(v.x, v.y, v.z); }
  void take(Mat3<double>& m) {
    for (int i = 0; i < 9; ++i) take(m(i / 3, i % 3));
  }
  void take(std::string& text) {
    const std::size_t size = count(8), used = (size + 7) / 8;
    if (used > left_) ok_ = false;
    if (!ok_) return;
    text.assign(reinterpret_cast<const char*>(words_), size);
    words_ += used;
    left_ -= used;
  }
  template <class T>
  void take(std::vector<T>& list) {
    list.clear();
    const std::size_t size = count();
    for (std::size_t i = 0; i < size && ok_; ++i) {
      list.emplace_back();
      take(list.back());
    }
  }
  template <class T, std::size_t n>
  void take(T (&list)[n]) {
    for (T& item : list) take(item);
  }
  template <class T>
  void take(T& structure) {
    fields(structure, *this);
  }

  const double* words_;
  std::size_t left_;
  bool ok_ = true;
};

}  // namespace detail

// The bytes of a file that holds `data`.
template <class Data>
std::vector<unsigned char> write_data(const Data& data) {
  detail::WordWriter to;
  Data copy = data;
  fields(copy, to);
  const std::size_t size = to.words.size() * sizeof(double);
  constexpr std::size_t begin = data_file_header * sizeof(double);
  std::vector<unsigned char> bytes(begin + size);
  const auto* const words = reinterpret_cast<const unsigned char*>(to.words.data());
  if (size > 0) std::memcpy(bytes.data() + begin, words, size);
  const std::uint64_t head[3] = {data_file_version, to.words.size(), detail::checksum(words, size)};
  std::memcpy(bytes.data(), data_file_magic, 8);
  std::memcpy(bytes.data() + 8, head, sizeof head);
  return bytes;
}

// Fills `data` from the bytes of a file; what is wrong with them in words, empty if nothing is.
template <class Data>
std::string read_data(const unsigned char* bytes, std::size_t size, Data& data) {
  constexpr std::size_t head_size = data_file_header * sizeof(double);
  if (size < head_size || std::memcmp(bytes, data_file_magic, 8) != 0) {
    return "this is not a data file of a multibody vehicle";
  }
  std::uint64_t head[3];
  std::memcpy(head, bytes + 8, sizeof head);
  if (head[0] != data_file_version) {
    return "the data file has the version " + std::to_string(head[0]) + ", this program reads version " +
           std::to_string(data_file_version);
  }
  const std::size_t payload = size - head_size;
  if (payload % sizeof(double) != 0 || head[1] != payload / sizeof(double)) {
    return "the data file is " + std::to_string(size) + " bytes long, it should have " +
           std::to_string(head[1]) + " words after its head: a part is missing or was added";
  }
  if (head[2] != detail::checksum(bytes + head_size, payload)) {
    return "the data file is damaged: its checksum is not that of its contents";
  }
  std::vector<double> words(payload / sizeof(double));  // bytes need not begin where doubles may
  std::memcpy(words.data(), bytes + head_size, payload);
  detail::WordReader from(words.data(), words.size());
  data = Data{};
  fields(data, from);
  if (!from.ok() || from.left() != 0) return "the data file does not hold a vehicle: its lists do not fit its length";
  return {};
}

}  // namespace trackrod::multibody
