// Python face of the tyre models: batches of contacts, plain or with derivatives, on all cores without the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/pack.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/tyre.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
constexpr int input_count = 7;    // Fz, kappa, alpha, gamma, Vx, p, mu
constexpr int output_count = 11;  // Fx, Fy, Mx, My, Mz, mux, muy, Kxk, Kya, sigma_x, sigma_y
constexpr int directions = 12;    // derivatives carried in one pass

template <class T>
Tyre<T> make_tyre(TyreModel model, bool mirrored, const T* values) {
  Tyre<T> tyre{};
  tyre.model = model;
  tyre.mirrored = mirrored;
  if (model == TyreModel::pac89) {
    tyre.pac89 = Pac89Coefficients<T>::from_array(values);
  } else {
    tyre.mf = MagicFormulaCoefficients<T>::from_array(values);
  }
  return tyre;
}

template <class T>
ContactInput<T> contact(const T* x) {
  return {x[0], x[1], tan(x[2]), x[3], x[4], x[5], x[6]};
}

template <class T>
void store(const ContactOutput<T>& out, T* y) {
  const T all[output_count] = {out.Fx,  out.Fy,  out.Mx,  out.My,      out.Mz,     out.mux,
                               out.muy, out.Kxk, out.Kya, out.sigma_x, out.sigma_y};
  std::copy(all, all + output_count, y);
}

// Contacts that are evaluated together, one in each SIMD lane.
constexpr size_t lanes = 4;
using Lane = Pack<static_cast<int>(lanes)>;

// On x86 the loop exists twice, with and without AVX2, and the processor chooses when the module is loaded. Everything is
// inlined into it, so that no function of one variant is ever called by the other.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TRACKROD_VARIANTS __attribute__((flatten, target_clones("avx2", "default")))
#else
#define TRACKROD_VARIANTS
#endif

// A group of contacts from rows of a matrix; lanes beyond the last row repeat it.
ContactInput<Lane> contacts(const double* x, size_t count) {
  Lane in[input_count];
  for (size_t k = 0; k < lanes; ++k) {
    const double* row = x + std::min(k, count - 1) * input_count;
    for (int j = 0; j < input_count; ++j) in[j].v[k] = row[j];
  }
  return contact(in);
}

// Rows of inputs to rows of outputs.
TRACKROD_VARIANTS void evaluate_rows(const Tyre<double>& tyre, const double* x, double* y, size_t n, Limits limits) {
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = std::min(lanes, n - i);
    Lane out[output_count];
    store(trackrod::evaluate(tyre, contacts(x + i * input_count, count), limits), out);
    for (size_t k = 0; k < count; ++k) {
      for (int j = 0; j < output_count; ++j) y[(i + k) * output_count + static_cast<size_t>(j)] = out[j].v[k];
    }
  }
}

// A tyre with its coefficients and curves in memory of its own.
class TyreHandle {
 public:
  TyreHandle(int model, bool mirrored, Values coefficients, Values deflection, Values load, Values bottoming_deflection,
             Values bottoming_load)
      : model_(static_cast<TyreModel>(model)),
        mirrored_(mirrored),
        values_(coefficients.data(), coefficients.data() + coefficients.size()),
        carcass_(deflection, load),
        bottoming_(bottoming_deflection, bottoming_load) {
    if (model < 0 || model > static_cast<int>(TyreModel::pac89)) throw std::invalid_argument("unknown tyre model");
    const int expected =
        model_ == TyreModel::pac89 ? Pac89Coefficients<double>::size : MagicFormulaCoefficients<double>::size;
    if (static_cast<int>(values_.size()) != expected) {
      throw std::invalid_argument("expected " + std::to_string(expected) + " coefficients, got " +
                                  std::to_string(values_.size()));
    }
    tyre_ = make_tyre<double>(model_, mirrored_, values_.data());
  }

  NewArray evaluate(Matrix points, bool limits, int threads) const {
    require_columns(points, input_count);
    const size_t n = points.shape(0);
    NewArray result = new_array({n, output_count});
    const double* x = points.data();
    double* y = result.data();
    const Limits mode = limits ? Limits::on : Limits::off;
    {
      nb::gil_scoped_release release;
      parallel_for(n, threads, [&](size_t begin, size_t end) {
        evaluate_rows(tyre_, x + begin * input_count, y + begin * output_count, end - begin, mode);
      });
    }
    return result;
  }

  // Values and derivatives of all outputs with respect to the inputs and coefficients named by `seeds`: an index below
  // the number of inputs is an input, the rest are coefficients in order.
  nb::tuple derivatives(Matrix points, const std::vector<int>& seeds, bool limits, int threads) const {
    require_columns(points, input_count);
    for (int seed : seeds) {
      if (seed < 0 || seed >= input_count + static_cast<int>(values_.size())) throw std::out_of_range("seed");
    }
    const size_t n = points.shape(0), m = seeds.size();
    NewArray values = new_array({n, output_count});
    NewArray slopes = new_array({n, output_count, m});
    const double* x = points.data();
    double* y = values.data();
    double* dy = slopes.data();
    const Limits mode = limits ? Limits::on : Limits::off;
    {
      nb::gil_scoped_release release;
      for (size_t first = 0; first < std::max<size_t>(m, 1); first += directions) {
        const size_t count = std::min<size_t>(directions, m - first);
        parallel_for(n, threads, [&](size_t begin, size_t end) {
          using D = Dual<directions>;
          std::vector<D> coefficients(values_.begin(), values_.end());
          for (size_t k = 0; k < count; ++k) {
            const int seed = seeds[first + k] - input_count;
            if (seed >= 0) coefficients[static_cast<size_t>(seed)].d[k] = 1.0;
          }
          const Tyre<D> tyre = make_tyre<D>(model_, mirrored_, coefficients.data());
          for (size_t i = begin; i < end; ++i) {
            D in[input_count], out[output_count];
            for (int j = 0; j < input_count; ++j) in[j] = D(x[i * input_count + static_cast<size_t>(j)]);
            for (size_t k = 0; k < count; ++k) {
              const int seed = seeds[first + k];
              if (seed < input_count) in[seed].d[k] = 1.0;
            }
            store(trackrod::evaluate(tyre, contact(in), mode), out);
            for (size_t j = 0; j < output_count; ++j) {
              y[i * output_count + j] = out[j].v;
              for (size_t k = 0; k < count; ++k) dy[(i * output_count + j) * m + first + k] = out[j].d[k];
            }
          }
        });
      }
    }
    return nb::make_tuple(values, slopes);
  }

  // Columns: Fz, omega, p -> free radius, effective radius.
  NewArray radii(Matrix points) const {
    require_columns(points, 3);
    const size_t n = points.shape(0);
    NewArray result = new_array({n, 2});
    const double* x = points.data();
    double* y = result.data();
    for (size_t i = 0; i < n; ++i, x += 3, y += 2) {
      y[0] = free_radius(tyre_, x[1]);
      y[1] = effective_radius(tyre_, x[0], x[1], x[2]);
    }
    return result;
  }

  // Columns: Fz, kappa, Vx, p -> spin speed.
  NewArray rolling_speed(Matrix points) const {
    require_columns(points, 4);
    return each<4>(points, [&](const double* x) { return trackrod::rolling_speed(tyre_, x[0], x[1], x[2], x[3]); });
  }

  // Columns: rho, rho_dot, omega, Fx, Fy, gamma, p -> Fz.
  NewArray vertical_force(Matrix points) const {
    require_columns(points, 7);
    return each<7>(points, [&](const double* x) {
      return trackrod::vertical_force(tyre_, curves(), x[0], x[1], VerticalInput<double>{x[2], x[3], x[4], x[5], x[6]});
    });
  }

  // Columns: Fz, omega, Fx, Fy, gamma, p -> rho.
  NewArray deflection(Matrix points) const {
    require_columns(points, 6);
    return each<6>(points, [&](const double* x) {
      return trackrod::deflection(tyre_, curves(), x[0], VerticalInput<double>{x[1], x[2], x[3], x[4], x[5]});
    });
  }

  // The lagged response to a motion of the contact, step by step, from zero slip.
  // Columns: Fz, Vx, Vsx, Vsy, gamma, p, mu -> the outputs of evaluate().
  NewArray transient(Matrix motion, double h, double low_speed) const {
    require_columns(motion, 7);
    const size_t n = motion.shape(0);
    NewArray result = new_array({n, output_count});
    const double* x = motion.data();
    double* y = result.data();
    TransientSlip<double> slip{0.0, 0.0};
    for (size_t i = 0; i < n; ++i, x += 7, y += output_count) {
      const double Fz = x[0], Vx = x[1];
      const ContactVelocity<double> v{Vx, x[2], x[3]};
      const auto at = [&](const TransientSlip<double>& s) {
        return trackrod::evaluate(tyre_, contact_input(s, Fz, x[4], Vx, x[5], x[6]), Limits::on);
      };
      const ContactOutput<double> before = at(slip);
      const double sigma_x = before.sigma_x * deflection_share(before.mux * Fz, before.Kxk, slip.x);
      const double sigma_y = before.sigma_y * deflection_share(before.muy * Fz, before.Kya, slip.y);
      slip = relax(slip, v, sigma_x, sigma_y, h);
      const ContactOutput<double> now = at({damped_slip(slip.x, v.Vsx, Vx, Fz, before.Kxk, sigma_x, low_speed),
                                            damped_slip(slip.y, -v.Vsy, Vx, Fz, before.Kya, sigma_y, low_speed)});
      store(now, y);
      slip = stored_slip(slip, v, Fz, now, low_speed);
    }
    return result;
  }

  // Mean time [s] of one evaluation in a loop over the points on one core, without the cost of the Python call:
  // in lanes, as evaluate() does it.
  double time_evaluation(Matrix points, int repeats) const {
    require_columns(points, input_count);
    const size_t n = points.shape(0);
    std::vector<double> out(n * output_count);
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r) evaluate_rows(tyre_, points.data(), out.data(), n, Limits::off);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count() / (static_cast<double>(n) * repeats);
  }

  // The same, one contact after the other.
  double time_single_evaluation(Matrix points, int repeats) const {
    require_columns(points, input_count);
    std::vector<ContactInput<double>> in;
    for (size_t i = 0; i < points.shape(0); ++i) in.push_back(contact(points.data() + i * input_count));
    return time_loop(in, repeats, [&](const ContactInput<double>& x) {
      const ContactOutput<double> out = trackrod::evaluate(tyre_, x, Limits::off);
      return out.Fx + out.Fy + out.Mx + out.My + out.Mz;
    });
  }

  // The same with the derivatives of all outputs along twelve directions: six inputs and six coefficients.
  double time_derivatives(Matrix points, int repeats) const {
    using D = Dual<directions>;
    require_columns(points, input_count);
    std::vector<D> coefficients(values_.begin(), values_.end());
    for (size_t k = 6; k < directions; ++k) coefficients[coefficients.size() - k].d[k] = 1.0;
    const Tyre<D> tyre = make_tyre<D>(model_, mirrored_, coefficients.data());
    std::vector<ContactInput<D>> in;
    for (size_t i = 0; i < points.shape(0); ++i) {
      D x[input_count];
      for (int j = 0; j < input_count; ++j) x[j] = D(points.data()[i * input_count + static_cast<size_t>(j)]);
      for (int j = 0; j < 6; ++j) x[j].d[j] = 1.0;
      in.push_back(contact(x));
    }
    return time_loop(in, repeats, [&](const ContactInput<D>& x) {
      const ContactOutput<D> out = trackrod::evaluate(tyre, x, Limits::off);
      return out.Fx.d[0] + out.Fy.d[3] + out.Mx.d[5] + out.My.d[7] + out.Mz.d[11];
    });
  }

 private:
  // A load curve with its node slopes; empty if the tyre has none.
  struct OwnedCurve {
    std::vector<double> x, y, slope;
    OwnedCurve(Values x_, Values y_) : x(x_.data(), x_.data() + x_.size()), y(y_.data(), y_.data() + y_.size()) {
      if (x.size() != y.size()) throw std::invalid_argument("a curve needs as many forces as deflections");
      if (x.size() == 1) throw std::invalid_argument("a curve needs two points or more");
      slope.resize(x.size());
      if (!x.empty()) node_slopes(Interpolation::pchip, x.data(), static_cast<int>(x.size()), y.data(), slope.data());
    }
  };

  static void require_columns(const Matrix& points, size_t columns) {
    if (points.shape(1) != columns) {
      throw std::invalid_argument("expected " + std::to_string(columns) + " columns, got " +
                                  std::to_string(points.shape(1)));
    }
  }

  template <int Columns, class F>
  static NewArray each(const Matrix& points, F function) {
    const size_t n = points.shape(0);
    NewArray result = new_array({n});
    const double* x = points.data();
    for (size_t i = 0; i < n; ++i) result.data()[i] = function(x + i * Columns);
    return result;
  }

  template <class Input, class Function>
  static double time_loop(const std::vector<Input>& in, int repeats, Function function) {
    double sum = 0.0;
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r) {
      for (const Input& x : in) sum += function(x);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    volatile double sink = sum;  // keeps the loop from being optimised away
    static_cast<void>(sink);
    return elapsed.count() / (static_cast<double>(in.size()) * repeats);
  }

  VerticalCurves curves() const {
    const auto view = [](const OwnedCurve& c) {
      return c.x.empty() ? Table1D<double>{}
                         : Table1D<double>{make_axis(c.x.data(), static_cast<int>(c.x.size())), c.y.data(),
                                           c.slope.data(), Extrapolation::linear};
    };
    return {view(carcass_), view(bottoming_), !carcass_.x.empty(), !bottoming_.x.empty()};
  }

  TyreModel model_;
  bool mirrored_;
  std::vector<double> values_;
  OwnedCurve carcass_, bottoming_;
  Tyre<double> tyre_;
};

}  // namespace
}  // namespace trackrod

void bind_tyre(nb::module_& m) {
  using trackrod::TyreHandle;
  nb::class_<TyreHandle>(m, "Tyre", "A tyre model compiled from its coefficients; see trackrod.tyre.Tyre.")
      .def(nb::init<int, bool, trackrod::Values, trackrod::Values, trackrod::Values, trackrod::Values, trackrod::Values>(),
           "model"_a, "mirrored"_a, "coefficients"_a, "deflection"_a, "load"_a, "bottoming_deflection"_a,
           "bottoming_load"_a)
      .def("evaluate", &TyreHandle::evaluate, "points"_a, "limits"_a, "threads"_a)
      .def("derivatives", &TyreHandle::derivatives, "points"_a, "seeds"_a, "limits"_a, "threads"_a,
           nb::sig("def derivatives(self, points: numpy.typing.NDArray[numpy.float64], seeds: collections.abc.Sequence[int], "
                   "limits: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"))
      .def("radii", &TyreHandle::radii, "points"_a)
      .def("rolling_speed", &TyreHandle::rolling_speed, "points"_a)
      .def("vertical_force", &TyreHandle::vertical_force, "points"_a)
      .def("deflection", &TyreHandle::deflection, "points"_a)
      .def("transient", &TyreHandle::transient, "motion"_a, "h"_a, "low_speed"_a)
      .def("time_evaluation", &TyreHandle::time_evaluation, "points"_a, "repeats"_a)
      .def("time_single_evaluation", &TyreHandle::time_single_evaluation, "points"_a, "repeats"_a)
      .def("time_derivatives", &TyreHandle::time_derivatives, "points"_a, "repeats"_a);
}
