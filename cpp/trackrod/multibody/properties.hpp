// Force laws of springs, dampers, stops, bushings and torsion springs as text files that people may replace.
//
// A file holds the head "part,x,y" and a row for each point of a curve: the part (force; of a bushing Fx, Fy, Fz and the
// torques Tx, Ty, Tz), abscissa and ordinate in SI units. Points of a part stand together, x rises; a part of one row is
// straight, y its rate; a part without rows is no force. Files are named after the factors on what they hold
// (parameters.hpp): "springs.front_suspension.spring_left".
#pragma once

#include <locale.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trackrod/multibody/description.hpp"

namespace trackrod::multibody {

using NamedCurves = std::vector<std::pair<const char*, CurveData*>>;

// What may be replaced, with the curves of each, by name.
inline std::map<std::string, NamedCurves> replaceable_curves(Description& d) {
  using P = ParameterData;
  std::map<std::string, NamedCurves> found;
  for (const ParameterData& p : d.changeable.parameters) {
    const auto i = static_cast<std::size_t>(p.element);
    NamedCurves curves;
    switch (p.kind) {
      case P::bushing_stiffness: {
        PairData& e = d.pairs[i];
        curves = {{"Fx", &e.force[0]},  {"Fy", &e.force[1]},  {"Fz", &e.force[2]},
                  {"Tx", &e.torque[0]}, {"Ty", &e.torque[1]}, {"Tz", &e.torque[2]}};
        break;
      }
      case P::spring: curves = {{"force", &d.lines[i].spring}}; break;
      case P::damper: curves = {{"force", &d.lines[i].damper}}; break;
      case P::bump_stop: curves = {{"force", &d.lines[i].bump}}; break;
      case P::rebound_stop: curves = {{"force", &d.lines[i].rebound}}; break;
      case P::torsion_stiffness: curves = {{"torque", &d.torsions[i].torque}}; break;
      default: continue;
    }
    found[p.name.substr(0, p.name.rfind('.'))] = curves;
  }
  return found;
}

inline std::string property_text(const NamedCurves& curves) {
  std::string text = "part,x,y\n";
  const char point = *localeconv()->decimal_point;
  for (const auto& [part, curve] : curves) {
    for (std::size_t i = 0; i < curve->x.size(); ++i) {
      char row[80];
      std::snprintf(row, sizeof row, "%s;%.17g;%.17g\n", part, curve->x[i], curve->y[i]);
      for (char& c : row) c = c == point ? '.' : c == ';' ? ',' : c;
      text += row;
    }
  }
  return text;
}

// Fills the curves; what is wrong with the text in words, empty if nothing is.
inline std::string read_property(const std::string& text, const NamedCurves& curves) {
  for (const auto& [part, curve] : curves) *curve = {};
  const char point = *localeconv()->decimal_point;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string row = text.substr(begin, end - begin);
    begin = end + 1;
    if (!row.empty() && row.back() == '\r') row.pop_back();
    if (row.empty() || number == 0) continue;
    const std::size_t first = row.find(','), second = row.find(',', first == std::string::npos ? first : first + 1);
    CurveData* into = nullptr;
    for (const auto& [part, curve] : curves) {
      if (first != std::string::npos && row.compare(0, first, part) == 0) into = curve;
    }
    double values[2] = {};
    bool good = into != nullptr && second != std::string::npos;
    for (int k = 0; good && k < 2; ++k) {
      std::string word = k == 0 ? row.substr(first + 1, second - first - 1) : row.substr(second + 1);
      for (char& c : word) c = c == '.' ? point : c;
      char* behind = nullptr;
      values[k] = std::strtod(word.c_str(), &behind);
      good = !word.empty() && *behind == '\0';
    }
    if (!good) return "row " + std::to_string(number + 1) + " is none of part, x, y";
    into->x.push_back(values[0]);
    into->y.push_back(values[1]);
  }
  return text.compare(0, 8, "part,x,y") == 0 ? "" : "its head is not part,x,y";
}

}  // namespace trackrod::multibody
