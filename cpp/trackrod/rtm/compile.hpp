// From a description to the block of numbers of the compiled model, on the host.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/description.hpp"
#include "trackrod/tyre/pac89.hpp"

namespace trackrod::rtm {

template <class R>
class Compiler {
 public:
  explicit Compiler(const Description& d) : d_(d) {}

  Block<R> compile() {
    to_.number(block_version);
    to_.number(0.0);  // the size, known at the end
    write_wheel_numbers();
    for (const WheelData& wheel : d_.wheels) write_wheel(wheel);
    for (const AxleData& axle : d_.axles) {
      to_.number(axle.steered ? 1.0 : 0.0);
      for (const OwnedCurve* c : {&axle.spring, &axle.stops, &axle.antiroll, &axle.damper, &axle.differential})
        to_.curve(*c);
    }
    write_steering(d_.steering);
    d_.driveline.write(to_);
    to_.number(d_.lag);
    to_.number(d_.road);
    to_.number(static_cast<double>(d_.tyres.size()));
    for (const TyreData& tyre : d_.tyres) {
      to_.curve(tyre.carcass);
      to_.curve(tyre.bottoming);
    }
    write_groups(1);
    write_groups(most_lanes);
    to_.numbers[1] = R(to_.numbers.size());
    return std::move(to_.numbers);
  }

 private:
  void write_wheel_numbers() {
    WheelNumbers<R> n{};
    for (int i = 0; i < wheel_count; ++i) {
      const AxleData& axle = d_.axles[i / 2];
      for (int j = 0; j < 3; ++j) n.centre[j][i] = R(d_.wheels[i].centre[j]);
      for (int j = 0; j < 2; ++j) {
        n.by_first[j][i] = R(!axle.steered ? 0.5 : i % 2 == j ? 1.0 : 0.0);
        n.by_second[j][i] = R(axle.steered ? 0.0 : j == 0 ? 0.5 : -0.5);
      }
      n.by_rack[i] = R(axle.steered ? 1.0 : 0.0);
      n.on_carrier[i] = R(axle.drive_on_carrier ? 1.0 : 0.0);
    }
    const R* first = reinterpret_cast<const R*>(&n);
    to_.array(std::vector<R>(first, first + sizeof(n) / sizeof(R)));
  }

  void write_wheel(const WheelData& wheel) {
    const MapData& map = wheel.kinematics;
    std::vector<double> slopes(3 * map.values.size());
    node_slopes(Interpolation::parabolic, map.first.data(), static_cast<int>(map.first.size()), map.second.data(),
                static_cast<int>(map.second.size()), channel_count, map.values.data(), slopes.data());
    to_.axis(map.first);
    to_.axis(map.second);
    to_.array(spread(map.values));
    to_.array(spread(slopes));
    for (int k = 0; k < load_count; ++k) {
      write_compliance(wheel.own[k]);
      write_compliance(wheel.opposite[k]);
    }
  }

  static std::vector<double> spread(const std::vector<double>& from) {
    const std::size_t rows = from.size() / channel_count;
    std::vector<double> to(rows * map_channels, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < channel_count; ++k) to[i * map_channels + k] = from[i * channel_count + k];
    }
    return to;
  }

  void write_compliance(const ComplianceData& table) {
    to_.axis(table.knots);
    std::vector<double> cells(table.knots.size() > 1 ? (table.knots.size() - 1) * 2 * map_channels : 0, 0.0);
    for (std::size_t i = 0; i + 1 < table.knots.size(); ++i) {
      for (std::size_t k = 0; k < compliance_count; ++k) {
        const double low = table.values[i * compliance_count + k], high = table.values[(i + 1) * compliance_count + k];
        cells[i * 2 * map_channels + k] = low;
        cells[(i * 2 + 1) * map_channels + k] = (high - low) / (table.knots[i + 1] - table.knots[i]);
      }
    }
    to_.array(cells);
  }

  void write_steering(const SteeringData& s) {
    to_.number(s.elastic ? 1.0 : 0.0);
    to_.array(std::vector<double>(s.numbers.data(), s.numbers.data() + s.numbers.size));
    to_.curve(s.torsion_bar);
    to_.curve(s.column);
    const MapData& map = s.assist;
    std::vector<double> slopes(3 * map.values.size());
    if (!map.values.empty()) {
      node_slopes(Interpolation::pchip, map.first.data(), static_cast<int>(map.first.size()), map.second.data(),
                  static_cast<int>(map.second.size()), 1, map.values.data(), slopes.data());
    }
    to_.axis(map.first);
    to_.axis(map.second);
    to_.array(map.values);
    to_.array(slopes);
  }

  // Neighbours of the same formula, at most `width` together.
  void write_groups(int width) {
    const int n = static_cast<int>(d_.tyres.size());
    const auto alike = [](const TyreData& a, const TyreData& b) {
      return a.tyre.model == b.tyre.model && a.carcass.empty() == b.carcass.empty() &&
             a.bottoming.empty() == b.bottoming.empty();
    };
    std::vector<int> begin;
    for (int first = 0; first < n;) {
      begin.push_back(first);
      int count = 1;
      while (first + count < n && count < width && alike(tyre(first), tyre(first + count))) ++count;
      first += count;
    }
    to_.number(static_cast<double>(begin.size()));
    begin.push_back(n);
    for (std::size_t g = 0; g + 1 < begin.size(); ++g) write_group(begin[g], begin[g + 1] - begin[g], width);
  }

  void write_group(int first, int count, int width) {
    const auto of_lane = [&](int i) -> const TyreData& { return tyre(first + (i < count ? i : count - 1)); };
    bool in_order = width == wheel_count && d_.tyres.size() == wheel_count && count == wheel_count;
    for (int i = 0; i < width; ++i) in_order = in_order && of_lane(i).wheel == i;
    to_.number(count);
    to_.number(in_order ? 1.0 : 0.0);
    to_.number(static_cast<int>(tyre(first).tyre.model));
    for (int i = 0; i < width; ++i) to_.number(first + (i < count ? i : count - 1));
    for (int i = 0; i < width; ++i) to_.number(of_lane(i).wheel);
    const auto rows = [&](int size, const auto& value) {
      std::vector<double> numbers;
      for (int k = 0; k < size; ++k) {
        for (int i = 0; i < width; ++i) numbers.push_back(value(of_lane(i), k));
      }
      to_.array(numbers);
    };
    rows(4, [](const TyreData& t, int k) {
      const double low_speed = t.tyre.model == TyreModel::pac89 ? pac89::low_speed : t.tyre.mf.VXLOW;
      const double numbers[] = {t.tyre.mirrored ? 1.0 : 0.0, t.wheel % 2 == 0 ? t.offset : -t.offset, t.pressure,
                                low_speed};
      return numbers[k];
    });
    rows(MagicFormulaCoefficients<double>::size, [](const TyreData& t, int k) { return t.tyre.mf.data()[k]; });
    rows(Pac89Coefficients<double>::size, [](const TyreData& t, int k) { return t.tyre.pac89.data()[k]; });
  }

  const TyreData& tyre(int i) const { return d_.tyres[static_cast<std::size_t>(i)]; }

  const Description& d_;
  BlockWriter<R> to_;
};

template <class R>
Block<R> compile(const Description& description) {
  return Compiler<R>(description).compile();
}

}  // namespace trackrod::rtm
