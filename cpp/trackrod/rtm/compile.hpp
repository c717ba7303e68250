// From a description to the block of numbers of the compiled model, on the host.
#pragma once

#include <algorithm>
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
      to_.curve(axle.roll);
      to_.curve(axle.antiroll);
      to_.curve(axle.lever);
      to_.curve(axle.differential);
    }
    write_elasticity();
    write_steering(d_.steering);
    d_.driveline.write(to_);
    write_frame();
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
  void write_frame() {
    const FrameData& f = d_.frame;
    to_.number(f.present ? 1.0 : 0.0);
    for (int j = 0; j < 3; ++j) to_.number(f.axis[j]);
    for (int j = 0; j < 3; ++j) to_.number(f.centre[j]);
    to_.number(f.mass);
    for (const auto& row : f.inertia) {
      for (const double x : row) to_.number(x);
    }
  }

  void write_wheel_numbers() {
    WheelNumbers<R> n{};
    for (int i = 0; i < wheel_count; ++i) {
      const AxleData& axle = d_.axles[i / 2];
      for (int j = 0; j < 3; ++j) n.centre[j][i] = R(d_.wheels[i].centre[j]);
      for (int j = 0; j < 2; ++j) {
        n.by_first[j][i] = R(!axle.steered ? 0.5 : i % 2 == j ? 1.0 : 0.0);
        n.by_opposite[j][i] = R(!axle.steered ? 0.0 : j == 0 ? 0.5 : -0.5);
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
    write_channel_curve(wheel.roll_knots, spread(wheel.in_roll), map_channels);
    for (const OwnedCurve* c : {&wheel.spring, &wheel.stops, &wheel.damper, &wheel.by_rack}) to_.curve(*c);
    for (const double base : wheel.stop_base) to_.number(base);
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

  void write_elasticity() {
    const bool moving = d_.axles[0].elastic.present && d_.axles[1].elastic.present;
    to_.number(moving ? 1.0 : 0.0);
    if (!moving) return;
    ElasticNumbers<R> n{};
    for (int k = 0; k < mode_count; ++k) {
      const ElasticModeData& mode = d_.axles[k / 2].elastic.modes[k % 2];
      for (int i = 0; i < axle_shape_count; ++i) {
        for (int j = 0; j < axle_shape_count; ++j) {
          n.mass[i][j][k] = R(mode.mass[i][j]);
          n.damping[i][j][k] = R(mode.damping[i][j]);
          n.compliance[i][j][k] = R(mode.compliance[i][j]);
        }
        for (int j = 0; j < 3; ++j) n.body_mass[i][j][k] = R(mode.body_mass[i][j]);
        n.travel_mass[i][k] = R(mode.travel_mass[i]);
        n.travel_damping[i][k] = R(mode.travel_damping[i]);
      }
      for (int i = 0; i < axle_load_count; ++i) n.pitch[i][k] = R(mode.pose[way_design][i][0][given_ry]);
    }
    const R* first = reinterpret_cast<const R*>(&n);
    to_.array(std::vector<R>(first, first + sizeof(n) / sizeof(R)));
    ElasticPrepared<R> step{};
    const R radius[2] = {R(d_.axles[0].elastic.radius), R(d_.axles[1].elastic.radius)};
    prepare(n, radius, R(constants::usual_step), step);
    first = reinterpret_cast<const R*>(&step);
    to_.array(std::vector<R>(first, first + sizeof(step) / sizeof(R)));
    for (const AxleData& axle : d_.axles) write_elastic_axle(axle.elastic);
  }

  void write_elastic_axle(const ElasticAxleData& a) {
    for (int j = 0; j < 3; ++j) to_.number(a.reference[j]);
    to_.number(a.radius);
    for (const auto* m : {&a.added_mass, &a.travel_damping}) {
      to_.number((*m)[0][0]);
      to_.number(0.5 * ((*m)[0][1] + (*m)[1][0]));
      to_.number((*m)[1][1]);
    }
    for (const auto& row : a.added_momentum) {
      for (const double x : row) to_.number(x);
    }
    std::vector<double> lifts;
    const auto place = [](int i) { return lifting_load(i) + i % 2 * axle_load_count; };
    for (const auto& matrix : a.lifts) {
      for (int i = 0; i < lifting_count; ++i) {
        for (int j = 0; j < lifting_count; ++j) lifts.push_back(0.5 * matrix[place(i)][place(j)]);
      }
    }
    to_.array(lifts);
    to_.number(a.softens ? 1.0 : 0.0);
    to_.number(static_cast<double>(a.bushings.size()));
    std::vector<double> response, standing, influence;
    for (int mode = 0; mode < 2; ++mode) {
      for (int j = 0; j < axle_load_count; ++j) {
        for (int way = 0; way < way_count; ++way) {
          const double* pose = &a.modes[mode].pose[way][j][0][0];
          response.insert(response.end(), pose, pose + pose_count);
          for (const StiffBushingData& b : a.bushings) response.push_back(b.loads[way][mode][j]);
          fill(response);
        }
      }
    }
    for (int way = 0; way < way_count - 1; ++way) {
      for (const StiffBushingData& b : a.bushings) standing.push_back(b.standing[way]);
    }
    for (const StiffBushingData& b : a.bushings) {
      for (const auto& way : b.pose) {
        influence.insert(influence.end(), &way[0][0], &way[0][0] + pose_count);
        fill(influence);
      }
    }
    to_.array(response);
    to_.array(standing);
    to_.array(influence);
    for (const StiffBushingData& b : a.bushings) write_strain(b);
  }

  static void fill(std::vector<double>& rows) { rows.resize(static_cast<std::size_t>(filled(static_cast<int>(rows.size())))); }

  // Cubics between the steps with the slopes of parabolas at these, and a straight line before and behind them.
  void write_strain(const StiffBushingData& b) {
    const std::size_t n = b.strain.size();
    const double width = (b.largest - b.least) / static_cast<double>(n - 1);
    std::vector<double> knots(n), slopes(n), cubic;
    for (std::size_t i = 0; i < n; ++i) knots[i] = b.least + width * static_cast<double>(i);
    node_slopes(Interpolation::parabolic, knots.data(), static_cast<int>(n), b.strain.data(), slopes.data());
    for (double& slope : slopes) slope *= width;
    const auto add = [&](double value, double slope, double square, double cube) {
      cubic.insert(cubic.end(), {value, slope, square, cube});
    };
    add(b.strain.front() - slopes.front(), slopes.front(), 0.0, 0.0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double rise = b.strain[i + 1] - b.strain[i];
      add(b.strain[i], slopes[i], 3.0 * rise - 2.0 * slopes[i] - slopes[i + 1], slopes[i] + slopes[i + 1] - 2.0 * rise);
    }
    add(b.strain.back(), slopes.back(), 0.0, 0.0);
    to_.number(b.least);
    to_.number(1.0 / width);
    to_.number(static_cast<double>(n + 1));
    to_.array(cubic);
  }

  void write_channel_curve(const std::vector<double>& knots, const std::vector<double>& values, std::size_t channels) {
    const std::size_t n = knots.size();
    std::vector<double> nodes(2 * values.size()), column(n), slopes(n);
    for (std::size_t k = 0; n > 0 && k < channels; ++k) {
      for (std::size_t i = 0; i < n; ++i) column[i] = values[i * channels + k];
      node_slopes(Interpolation::parabolic, knots.data(), static_cast<int>(n), column.data(), slopes.data());
      for (std::size_t i = 0; i < n; ++i) {
        nodes[2 * i * channels + k] = column[i];
        nodes[(2 * i + 1) * channels + k] = slopes[i];
      }
    }
    to_.axis(knots);
    to_.array(nodes);
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
