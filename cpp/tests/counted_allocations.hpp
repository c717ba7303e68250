// Counts what the program allocates: a step must not. Include it in one file of a program.
#pragma once

#include <stdlib.h>

#include <new>

namespace trackrod::test {
inline long allocations = 0;

inline void* counted(std::size_t size) {
  ++allocations;
  void* place = malloc(size == 0 ? 1 : size);
  if (place == nullptr) abort();
  return place;
}
}  // namespace trackrod::test

void* operator new(std::size_t size) { return trackrod::test::counted(size); }
void* operator new[](std::size_t size) { return trackrod::test::counted(size); }
void operator delete(void* place) noexcept { free(place); }
void operator delete[](void* place) noexcept { free(place); }
void operator delete(void* place, std::size_t) noexcept { free(place); }
void operator delete[](void* place, std::size_t) noexcept { free(place); }
