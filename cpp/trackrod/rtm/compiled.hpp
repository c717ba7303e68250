// The compiled real-time model: read-only views into one flat block of numbers, laid out as the step reads them.
//
// It owns nothing. compile() in compile.hpp writes the block on the host; view() walks over it, there or on a device.
// One block serves steps with one wheel after the other (lanes = 1: float, Dual, GPU) and four abreast (lanes = 4:
// double).
#pragma once

#include "trackrod/block.hpp"
#include "trackrod/drivetrain/driveline.hpp"
#include "trackrod/pack.hpp"
#include "trackrod/rtm/layout.hpp"
#include "trackrod/tables.hpp"
#include "trackrod/tyre/tyre.hpp"

namespace trackrod::rtm {

constexpr int block_version = 1;
// Channels of maps are filled up to a power of two, so that they fill SIMD registers.
constexpr int map_channels = 8;
static_assert(channel_count <= map_channels && compliance_count <= map_channels, "channels of the maps");
constexpr int most_lanes = 4;

// What wheels have of their own, side by side for lanes.
template <class R>
struct WheelNumbers {
  R centre[3][wheel_count];  // at the design position in V
  // Share of the map's two slopes in the slope by the left and right travel.
  R by_first[2][wheel_count], by_second[2][wheel_count];
  R by_rack[wheel_count];     // 1 on an axle with a rack
  R on_carrier[wheel_count];  // share of the driving torque that the carrier holds
};

// Compliance by one load: in each cell the values at its lower knot and the slopes.
template <class R>
struct ComplianceTable {
  Axis<R> loads;
  const R* cells;  // [cell][value, slope][map_channels]

  // Adds the values at x to out.
  template <class T>
  TRACKROD_HD void add(const T& x, T* out) const {
    if (loads.count == 0) return;
    const int cell = find_cell(loads, value_of(x));
    const T along = x - loads.knots[cell];
    const R* low = cells + cell * 2 * map_channels;
    T next[compliance_count];  // apart from out, which for all a compiler knows might overlap the table
    for (int k = 0; k < compliance_count; ++k) next[k] = out[k] + (along * low[map_channels + k] + low[k]);
    for (int k = 0; k < compliance_count; ++k) out[k] = next[k];
  }
};

template <class R>
struct WheelTables {
  Table2D<R> kinematics;
  ComplianceTable<R> own[load_count], opposite[load_count];
};

template <class R>
struct AxleTables {
  bool steered;
  Table1D<R> spring, stops, antiroll, damper, differential;
};

template <class R>
struct SteeringTables {
  bool elastic;
  SteeringNumbers<R> numbers;
  Table1D<R> torsion_bar, column;
  Table2D<R> assist;
};

template <class R>
struct TyreTables {
  Table1D<R> carcass, bottoming;
};

// Tyres that are evaluated together: neighbours of the same formula, each with coefficients of its own.
template <class R, int lanes>
struct TyreGroup {
  int count;
  bool in_order;  // lane i is wheel i, and no wheel has another tyre
  TyreModel model;
  int index[lanes];  // of the tyres; lanes beyond the last repeat it
  int wheel[lanes];
  const R* numbers;     // [mirrored, outward, pressure, low speed][lane]
  const R *mf, *pac89;  // coefficients[coefficient][lane]
};

template <class R, int lanes_>
struct Compiled {
  static constexpr int lanes = lanes_;
  using Real = R;

  long size;  // numbers of the block
  const WheelNumbers<R>* wheels;
  WheelTables<R> tables[wheel_count];
  AxleTables<R> axles[2];
  SteeringTables<R> steering;
  Driveline<R> driveline;
  R lag, road;
  int tyre_count, group_count;
  TyreTables<R> tyres[max_tyres];
  TyreGroup<R, lanes> groups[max_tyres];
};

namespace detail {

template <class R>
TRACKROD_HD inline ComplianceTable<R> read_compliance(BlockReader<R>& from) {
  const Axis<R> loads = from.axis();
  return {loads, from.array(loads.count > 1 ? static_cast<long>(loads.count - 1) * 2 * map_channels : 0)};
}

template <class R>
TRACKROD_HD inline WheelTables<R> read_wheel(BlockReader<R>& from) {
  WheelTables<R> w;
  const Axis<R> first = from.axis(), second = from.axis();
  const long nodes = static_cast<long>(first.count) * second.count * map_channels;
  const R* values = from.array(nodes);
  w.kinematics = {first, second, map_channels, values, from.array(3 * nodes)};
  for (int k = 0; k < load_count; ++k) {
    w.own[k] = read_compliance(from);
    w.opposite[k] = read_compliance(from);
  }
  return w;
}

// A set of groups of `width` tyres; the block holds one for each number of lanes.
template <class R, int width>
struct GroupReader {
  template <int lanes>
  TRACKROD_HD static int read(BlockReader<R>& from, TyreGroup<R, lanes>* to) {
    const int groups = from.whole();
    for (int g = 0; g < groups; ++g) {
      TyreGroup<R, width> group;
      group.count = from.whole();
      group.in_order = from.truth();
      group.model = static_cast<TyreModel>(from.whole());
      for (int i = 0; i < width; ++i) group.index[i] = from.whole();
      for (int i = 0; i < width; ++i) group.wheel[i] = from.whole();
      group.numbers = from.array(4 * width);
      group.mf = from.array(static_cast<long>(MagicFormulaCoefficients<R>::size) * width);
      group.pac89 = from.array(static_cast<long>(Pac89Coefficients<R>::size) * width);
      if constexpr (width == lanes) to[g] = group;
    }
    return groups;
  }
};

}  // namespace detail

// The model that a block holds.
template <int lanes, class R>
TRACKROD_HD inline Compiled<R, lanes> view(const R* block) {
  BlockReader<R> from(block);
  Compiled<R, lanes> m;
  from.number();  // version
  m.size = static_cast<long>(from.number());
  m.wheels = reinterpret_cast<const WheelNumbers<R>*>(from.array(sizeof(WheelNumbers<R>) / sizeof(R)));
  for (WheelTables<R>& wheel : m.tables) wheel = detail::read_wheel(from);
  for (AxleTables<R>& axle : m.axles) {
    axle.steered = from.truth();
    axle.spring = from.curve();
    axle.stops = from.curve();
    axle.antiroll = from.curve();
    axle.damper = from.curve();
    axle.differential = from.curve();
  }
  m.steering.elastic = from.truth();
  m.steering.numbers = SteeringNumbers<R>::from_array(from.array(SteeringNumbers<R>::size));
  m.steering.torsion_bar = from.curve();
  m.steering.column = from.curve();
  const Axis<R> torques = from.axis(), speeds = from.axis();
  const R* forces = from.array(static_cast<long>(torques.count) * speeds.count);
  m.steering.assist = {torques, speeds, 1, forces, from.array(3L * torques.count * speeds.count)};
  m.driveline = Driveline<R>::read(from, wheel_count);
  m.lag = from.number();
  m.road = from.number();
  m.tyre_count = from.whole();
  for (int i = 0; i < m.tyre_count; ++i) {
    m.tyres[i].carcass = from.curve();
    m.tyres[i].bottoming = from.curve();
  }
  const int alone = detail::GroupReader<R, 1>::read(from, m.groups);
  const int abreast = detail::GroupReader<R, most_lanes>::read(from, m.groups);
  m.group_count = lanes == 1 ? alone : abreast;
  return m;
}

}  // namespace trackrod::rtm
