// Tables of numbers as text.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A number as Python writes it: the fewest digits that read back as the same number.
void append(std::string& text, double x) {
  if (!std::isfinite(x)) {
    text += std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    return;
  }
  char digits[32];
  const double size = std::fabs(x);
  const bool plain = x == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const char* const end = std::to_chars(digits, digits + sizeof digits, x, format).ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  text += written;
  if (plain && written.find('.') == std::string_view::npos) text += ".0";
}

nb::bytes comma_separated(const Rows& table) {
  std::string text;
  {
    nb::gil_scoped_release release;
    const std::size_t rows = table.shape(0), columns = table.shape(1);
    text.reserve(rows * columns * 20);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (j > 0) text += ',';
        append(text, table.data()[i * columns + j]);
      }
      text += '\n';
    }
  }
  return nb::bytes(text.data(), text.size());
}

}  // namespace
}  // namespace trackrod

void bind_text(nb::module_& m) {
  m.def("comma_separated", &trackrod::comma_separated, "table"_a,
        "Rows of numbers as text: commas between them, a line for each row, every number as repr() writes it.");
}
