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

constexpr int block_version = 5;
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
  R by_opposite[2][wheel_count];  // the same of half the opposite travel, on an axle with a rack
  R by_rack[wheel_count];         // 1 on an axle with a rack
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

// What a step of length h makes of the matrices of axles that give: A = M + h D + h^2 C, and its inverse times each.
template <class R>
struct ElasticPrepared {
  R h;
  R filling[block_alignment / sizeof(R) - 1];  // arrays begin where lanes may be read
  R by_rate[axle_shape_count][axle_shape_count][mode_count];  // M
  R by_load[axle_shape_count][axle_shape_count][mode_count];  // C
  R by_body[3][axle_shape_count][mode_count], by_travel[axle_shape_count][mode_count];
  R by_travel_rate[axle_shape_count][mode_count];
  R damper_yields[mode_count], torque_takes[mode_count];
  R body[3][3][mode_count], both[3][mode_count], travel[mode_count];  // taken from the mass matrix of body and travels
};

// Channels over one variable, cubic: [knot][value, slope][channels].
template <class R>
struct ChannelCurve {
  Axis<R> axis;
  const R* nodes;
};

template <class R>
struct WheelTables {
  Table2D<R> kinematics;
  ChannelCurve<R> in_roll;
  CellCurve<R> spring, stops, damper, by_rack;
  R stop_base[2];  // how far apart bump and rebound stops of the axle stand, over its track
  ComplianceTable<R> own[load_count], opposite[load_count];
};

template <class R>
struct AxleTables {
  bool steered;
  CellCurve<R> roll, antiroll, lever, differential;
};

// Loads of an axle that lift it, symmetric and antisymmetric.
constexpr int lifting_count = 2 * 4;
TRACKROD_HD constexpr int lifting_load(int i) {
  return i < 2 ? load_fx : i < 4 ? load_fy : i < 6 ? load_mx : load_mz;
}

// Poses of both wheels of an axle.
constexpr int pose_count = 2 * given_count;
// Rows of poses and bushings, filled up so that lanes can read them.
TRACKROD_HD constexpr int filled(int rows) { return (rows + most_lanes - 1) / most_lanes * most_lanes; }
constexpr int response_rows = filled(pose_count + max_stiff_bushings);

// Strain of a bushing beyond that of a linear one over its force: cubic in even cells, straight in the first and the last,
// which have no end.
template <class R>
struct StrainCurve {
  R least, density;  // force where the second cell begins, cells for each unit of it
  int cells;
  const R* cubic;  // [cell][power of the place in it]
};

// Matrices of the shapes of axles that give, modes side by side for lanes.
template <class R>
struct ElasticNumbers {
  R mass[axle_shape_count][axle_shape_count][mode_count], damping[axle_shape_count][axle_shape_count][mode_count],
      compliance[axle_shape_count][axle_shape_count][mode_count];
  R body_mass[axle_shape_count][3][mode_count];
  R travel_mass[axle_shape_count][mode_count], travel_damping[axle_shape_count][mode_count];
  R pitch[axle_load_count][mode_count];  // of the left wheel for each unit of a load, linear
};

template <class R>
struct ElasticAxle {
  Vec3<R> reference;
  R radius;
  R added_mass[3], travel_damping[3];  // left left, left right, right right
  R added_momentum[2][6];
  const R* lifts;  // [parallel, half the opposite travel][load][load]: change of what loads store
  bool softens;
  int bushing_count;
  const R* response;  // [mode][load][way][pose; force in each bushing; filling] for each unit of a load
  const R* standing;  // [way but the first][bushing]: force in it without loads
  const R* influence;  // [bushing][way][pose; filling] for each unit of strain
  StrainCurve<R> strain[max_stiff_bushings];
};

template <class R>
struct SteeringTables {
  bool elastic;
  SteeringNumbers<R> numbers;
  CellCurve<R> torsion_bar, column;
  Table2D<R> assist;
};

template <class R>
struct TyreTables {
  CellCurve<R> carcass, bottoming;
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

// The rear half of a frame that twists, at the design position in V.
template <class R>
struct FrameNumbers {
  bool present;
  Vec3<R> axis, centre;  // a point of the axis of torsion, centre of mass
  R mass;
  Mat3<R> inertia;
};

template <class R, int lanes_>
struct Compiled {
  static constexpr int lanes = lanes_;
  using Real = R;

  long size;  // numbers of the block
  const WheelNumbers<R>* wheels;
  WheelTables<R> tables[wheel_count];
  AxleTables<R> axles[2];
  bool moving;  // compliance is a system with inertia and damping
  const ElasticNumbers<R>* elastic_numbers;
  const ElasticPrepared<R>* elastic_prepared;  // for the usual step
  ElasticAxle<R> elastic[2];
  SteeringTables<R> steering;
  FrameNumbers<R> frame;
  Driveline<R> driveline;
  R lag, road;
  int tyre_count, group_count;
  TyreTables<R> tyres[max_tyres];
  TyreGroup<R, lanes> groups[max_tyres];
  int abreast_count;
  TyreGroup<R, most_lanes> abreast[max_tyres];  // for what goes through lanes whatever the number of those of wheels
};

// A = L D L' in place: below the diagonal L, on it the inverse of D.
template <int N, class T>
TRACKROD_HD inline void factorise(T A[N][N]) {
  for (int k = 0; k < N; ++k) {
    A[k][k] = RealOf<T>(1.0) / A[k][k];
    for (int i = k + 1; i < N; ++i) {
      const T s = A[i][k] * A[k][k];
      for (int j = k + 1; j <= i; ++j) A[i][j] -= s * A[j][k];
    }
    for (int i = k + 1; i < N; ++i) A[i][k] = A[i][k] * A[k][k];
  }
}
template <int N, class R, class T>
TRACKROD_HD inline void solve(const R A[N][N], T* b) {
  for (int k = 0; k < N; ++k) {
    for (int i = k + 1; i < N; ++i) b[i] -= b[k] * A[i][k];
  }
  for (int k = N - 1; k >= 0; --k) {
    b[k] = b[k] * A[k][k];
    for (int i = k + 1; i < N; ++i) b[k] -= b[i] * A[i][k];
  }
}

// The matrices of a step of length h; `radius` is that of each axle's contact patch on the rig.
template <class R>
TRACKROD_HD inline void prepare(const ElasticNumbers<R>& e, const R* radius, R h, ElasticPrepared<R>& out) {
  constexpr int n = axle_shape_count;
  out.h = h;
  for (int m = 0; m < mode_count; ++m) {
    R A[n][n], column[n];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) A[i][j] = e.mass[i][j][m] + e.damping[i][j][m] * h + e.compliance[i][j][m] * (h * h);
    }
    factorise<n>(A);
    const auto solved = [&](const auto& given, const auto& store) {
      for (int i = 0; i < n; ++i) column[i] = given(i);
      solve<n>(A, column);
      for (int i = 0; i < n; ++i) store(i) = column[i];
    };
    for (int j = 0; j < n; ++j) {
      solved([&](int i) { return e.mass[i][j][m]; }, [&](int i) -> R& { return out.by_rate[i][j][m]; });
      solved([&](int i) { return e.compliance[i][j][m]; }, [&](int i) -> R& { return out.by_load[i][j][m]; });
    }
    for (int j = 0; j < 3; ++j) {
      solved([&](int i) { return e.body_mass[i][j][m]; }, [&](int i) -> R& { return out.by_body[j][i][m]; });
    }
    solved([&](int i) { return e.travel_mass[i][m]; }, [&](int i) -> R& { return out.by_travel[i][m]; });
    solved([&](int i) { return e.travel_damping[i][m]; }, [&](int i) -> R& { return out.by_travel_rate[i][m]; });
    out.damper_yields[m] = out.torque_takes[m] = out.travel[m] = R(0.0);
    for (int i = 0; i < axle_load_count; ++i) {
      out.damper_yields[m] += h * out.by_load[i][load_damper][m] * e.compliance[load_damper][i][m];
      out.torque_takes[m] +=
          h / radius[m / 2] * (out.by_load[i][load_fx][m] - out.by_load[i][load_brake][m]) * e.pitch[i][m];
    }
    for (int i = 0; i < n; ++i) out.travel[m] += R(0.5) * out.by_travel[i][m] * e.travel_mass[i][m];
    for (int j = 0; j < 3; ++j) {
      out.both[j][m] = R(0.0);
      for (int i = 0; i < n; ++i) out.both[j][m] += out.by_body[j][i][m] * e.travel_mass[i][m];
      for (int k = 0; k < 3; ++k) {
        out.body[j][k][m] = R(0.0);
        for (int i = 0; i < n; ++i) out.body[j][k][m] += R(2.0) * out.by_body[j][i][m] * e.body_mass[i][k][m];
      }
    }
  }
}

namespace detail {

template <class R>
TRACKROD_HD inline ComplianceTable<R> read_compliance(BlockReader<R>& from) {
  const Axis<R> loads = from.axis();
  return {loads, from.array(loads.count > 1 ? static_cast<long>(loads.count - 1) * 2 * map_channels : 0)};
}

template <class R>
TRACKROD_HD inline ChannelCurve<R> read_channel_curve(BlockReader<R>& from, int channels) {
  const Axis<R> axis = from.axis();
  return {axis, from.array(static_cast<long>(axis.count) * 2 * channels)};
}

template <class R>
TRACKROD_HD inline WheelTables<R> read_wheel(BlockReader<R>& from) {
  WheelTables<R> w;
  const Axis<R> first = from.axis(), second = from.axis();
  const long nodes = static_cast<long>(first.count) * second.count * map_channels;
  const R* values = from.array(nodes);
  w.kinematics = {first, second, map_channels, values, from.array(3 * nodes)};
  w.in_roll = read_channel_curve(from, map_channels);
  w.spring = from.curve();
  w.stops = from.curve();
  w.damper = from.curve();
  w.by_rack = from.curve();
  for (R& base : w.stop_base) base = from.number();
  for (int k = 0; k < load_count; ++k) {
    w.own[k] = read_compliance(from);
    w.opposite[k] = read_compliance(from);
  }
  return w;
}

template <class R>
TRACKROD_HD inline ElasticAxle<R> read_elastic_axle(BlockReader<R>& from) {
  ElasticAxle<R> a;
  for (int j = 0; j < 3; ++j) a.reference[j] = from.number();
  a.radius = from.number();
  for (R& x : a.added_mass) x = from.number();
  for (R& x : a.travel_damping) x = from.number();
  for (auto& row : a.added_momentum) {
    for (R& x : row) x = from.number();
  }
  a.lifts = from.array(2 * lifting_count * lifting_count);
  a.softens = from.whole() != 0;
  a.bushing_count = from.whole();
  a.response = from.array(2 * axle_load_count * way_count * filled(pose_count + a.bushing_count));
  a.standing = from.array((way_count - 1) * a.bushing_count);
  a.influence = from.array(a.bushing_count * way_count * filled(pose_count));
  for (int i = 0; i < a.bushing_count; ++i) {
    StrainCurve<R>& curve = a.strain[i];
    curve.least = from.number();
    curve.density = from.number();
    curve.cells = from.whole();
    curve.cubic = from.array(4 * curve.cells);
  }
  return a;
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
    axle.roll = from.curve();
    axle.antiroll = from.curve();
    axle.lever = from.curve();
    axle.differential = from.curve();
  }
  m.moving = from.truth();
  m.elastic_numbers = nullptr;
  m.elastic_prepared = nullptr;
  if (m.moving) {
    m.elastic_numbers =
        reinterpret_cast<const ElasticNumbers<R>*>(from.array(sizeof(ElasticNumbers<R>) / sizeof(R)));
    m.elastic_prepared =
        reinterpret_cast<const ElasticPrepared<R>*>(from.array(sizeof(ElasticPrepared<R>) / sizeof(R)));
    for (ElasticAxle<R>& axle : m.elastic) axle = detail::read_elastic_axle(from);
  }
  m.steering.elastic = from.truth();
  m.steering.numbers = SteeringNumbers<R>::from_array(from.array(SteeringNumbers<R>::size));
  m.steering.torsion_bar = from.curve();
  m.steering.column = from.curve();
  const Axis<R> torques = from.axis(), speeds = from.axis();
  const R* forces = from.array(static_cast<long>(torques.count) * speeds.count);
  m.steering.assist = {torques, speeds, 1, forces, from.array(3L * torques.count * speeds.count)};
  m.driveline = Driveline<R>::read(from, wheel_count);
  m.frame.present = from.truth();
  for (int j = 0; j < 3; ++j) m.frame.axis[j] = from.number();
  for (int j = 0; j < 3; ++j) m.frame.centre[j] = from.number();
  m.frame.mass = from.number();
  for (auto& row : m.frame.inertia.m) {
    for (R& x : row) x = from.number();
  }
  m.lag = from.number();
  m.road = from.number();
  m.tyre_count = from.whole();
  for (int i = 0; i < m.tyre_count; ++i) {
    m.tyres[i].carcass = from.curve();
    m.tyres[i].bottoming = from.curve();
  }
  const int alone = detail::GroupReader<R, 1>::read(from, m.groups);
  m.abreast_count = detail::GroupReader<R, most_lanes>::read(from, m.abreast);
  m.group_count = lanes == 1 ? alone : m.abreast_count;
  if constexpr (lanes == most_lanes) {
    for (int g = 0; g < m.group_count; ++g) m.groups[g] = m.abreast[g];
  }
  return m;
}

}  // namespace trackrod::rtm
