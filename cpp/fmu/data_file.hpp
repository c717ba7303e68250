// The file of a vehicle, resources/vehicle.bin: variables, and the numbers of the compiled model.
//
// Little endian. A head of 64 bytes: "TRACKROD", version (u32), 0x01020304 (u32), bytes of the file (u64), CRC-32 of all
// behind the head (u64), model (u32), sections (u32), key of the declarations (u64), zeros. Then for each section its
// name (8 bytes), where it begins (u64) and its bytes (u64); sections begin at multiples of 64.
// Written by src/trackrod/export/data_file.py.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

#ifdef _WIN32
#include <wchar.h>
// Declared here, because <windows.h> defines names like near and far.
extern "C" __declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned, unsigned long, const char*, int, wchar_t*, int);
#endif

#include "trackrod/block_writer.hpp"
#include "trackrod/export/layout.hpp"

namespace trackrod::fmu {

inline uint32_t crc32(const unsigned char* bytes, size_t count) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

// For reading, by its name in UTF-8.
inline FILE* open_file(const std::string& path) {
#ifdef _WIN32
  constexpr unsigned utf8 = 65001;
  const int count = MultiByteToWideChar(utf8, 0, path.c_str(), -1, nullptr, 0);
  std::vector<wchar_t> wide(static_cast<size_t>(count > 0 ? count : 1));
  MultiByteToWideChar(utf8, 0, path.c_str(), -1, wide.data(), count);
  return _wfopen(wide.data(), L"rb");
#else
  return fopen(path.c_str(), "rb");
#endif
}

enum class ModelKind : uint32_t { rtm = 1, multibody = 2, quarter_car = 3, reduced_vehicle = 4 };

class DataFile {
 public:
  struct Section {
    const unsigned char* bytes = nullptr;
    size_t size = 0;

    const double* numbers() const { return reinterpret_cast<const double*>(bytes); }
    size_t count() const { return size / sizeof(double); }
    std::string text() const { return {reinterpret_cast<const char*>(bytes), size}; }
  };

  // Reads a file; false, and a sentence that says why, if it cannot be used.
  bool read(const std::string& path, std::string& why) {
    if (!load(path)) {
      why = "the file of the vehicle, '" + path + "', cannot be read";
      return false;
    }
    return check(why = "the file of the vehicle, '" + path + "', is damaged: ");
  }
  ModelKind model() const { return static_cast<ModelKind>(whole<uint32_t>(32)); }
  uint32_t checksum() const { return whole<uint32_t>(24); }
  // A section by name; empty if there is none.
  Section section(const char* name) const {
    char wanted[8] = {};
    memcpy(wanted, name, strlen(name));
    for (uint32_t i = 0; i < whole<uint32_t>(36); ++i) {
      const size_t at = head + i * entry;
      if (memcmp(bytes() + at, wanted, 8) == 0) return {bytes() + whole<uint64_t>(at + 8), whole<size_t>(at + 16)};
    }
    return {};
  }

 private:
  static constexpr size_t head = 64, entry = 24;

  const unsigned char* bytes() const { return reinterpret_cast<const unsigned char*>(numbers_.data()); }
  template <class T>
  T whole(size_t at) const {
    T value;
    memcpy(&value, bytes() + at, sizeof(T));
    return value;
  }
  bool load(const std::string& path) {
    FILE* file = open_file(path);
    if (file == nullptr) return false;
    bool read = fseek(file, 0, SEEK_END) == 0;
    const long end = read ? ftell(file) : -1;
    read = end >= 0 && end < (1L << 30) && fseek(file, 0, SEEK_SET) == 0;
    if (read) {
      size_ = static_cast<size_t>(end);
      numbers_.assign(size_ / sizeof(double) + 1, 0.0);
      read = fread(numbers_.data(), 1, size_, file) == size_;
    }
    fclose(file);
    return read;
  }
  bool check(std::string& why) const {
    if (size_ < head || memcmp(bytes(), "TRACKROD", 8) != 0) return why += "it does not begin as such a file does", false;
    if (whole<uint32_t>(8) != 1) return why += "it has another version", false;
    if (whole<uint32_t>(12) != 0x01020304u) return why += "this machine orders bytes otherwise", false;
    if (whole<uint64_t>(16) != size_) return why += "it is cut off", false;
    if (whole<uint64_t>(24) != crc32(bytes() + head, size_ - head)) return why += "its check sum is wrong", false;
    if (whole<uint64_t>(40) != declaration_key) return why += "it was made for another version of the runtime", false;
    const size_t sections = whole<uint32_t>(36);
    if (head + sections * entry > size_) return why += "it has too few sections", false;
    for (size_t i = 0; i < sections; ++i) {
      const uint64_t begin = whole<uint64_t>(head + i * entry + 8), size = whole<uint64_t>(head + i * entry + 16);
      if (begin % block_alignment != 0 || begin > size_ || size > size_ - begin) {
        return why += "a section lies beyond its end", false;
      }
    }
    return true;
  }

  Block<double> numbers_;  // the bytes, where SIMD lanes may be read
  size_t size_ = 0;
};

}  // namespace trackrod::fmu
