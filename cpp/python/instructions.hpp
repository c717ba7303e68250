// Which instructions the core uses: the widest that this machine has, or fewer where a setting says so.
#pragma once

#include <cstdlib>
#include <cstring>

namespace trackrod {

enum class Instructions { portable, avx2, avx512 };

constexpr const char* instructions_setting = "TRACKROD_INSTRUCTIONS";
constexpr const char* instruction_names[] = {"portable", "avx2", "avx512"};

// The widest that this machine has and this build knows.
inline Instructions machine_instructions() {
#ifdef TRACKROD_X86_VARIANTS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return Instructions::avx512;
  }
  if (avx2) return Instructions::avx2;
#endif
  return Instructions::portable;
}

// Those with this name; false where the name is not known or this machine does not have them.
inline bool find_instructions(const char* name, Instructions& found) {
  for (int i = 0; i <= static_cast<int>(machine_instructions()); ++i) {
    if (std::strcmp(name, instruction_names[i]) == 0) return found = static_cast<Instructions>(i), true;
  }
  return false;
}

// What the setting allows. A name that is not known is left to Python, which refuses it with a message.
inline Instructions& instructions() {
  static Instructions chosen = [] {
    Instructions found = machine_instructions();
    const char* const wanted = std::getenv(instructions_setting);
    if (wanted != nullptr) find_instructions(wanted, found);
    return found;
  }();
  return chosen;
}

}  // namespace trackrod
