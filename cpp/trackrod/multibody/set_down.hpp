// Where the search for a vehicle's equilibrium begins: on its tyres.
#pragma once

#include <algorithm>
#include <cmath>

#include "trackrod/multibody/build.hpp"

namespace trackrod::multibody {

namespace detail {

// How far the wheel centres of an axle are drawn above where its tyres carry a mass [m], [kg].
inline double height_above_rest(const Description& d, const Model& model, std::size_t first, double mass, double road) {
  double height = 0.0, radius = 0.0, count = 0.0;
  for (const std::size_t k : {first, first + 1}) count += model.wheels[k].tyre_count;
  const double load = std::max(mass, 0.0) * 9.80665 / count;
  for (const std::size_t k : {first, first + 1}) {
    const TyreElement& e = model.tyres[static_cast<std::size_t>(model.wheels[k].first_tyre)];
    const VerticalInput<double> around{0.0, 0.0, 0.0, 0.0, e.pressure};
    height += 0.5 * d.wheels[k].centre.z;
    radius += 0.5 * (free_radius(e.tyre, 0.0) - deflection(e.tyre, e.curves, load, around));
  }
  return height - road - radius;
}

}  // namespace detail

// Lowers and pitches a vehicle as it is drawn until its tyres carry the axle loads on a level road of this height; its wheels
// are fl, fr, rl, rr. A tyre that hangs above the road in the drawing resists nothing, so that the equations of its
// equilibrium would be singular.
inline void set_down(const Description& d, Model& model, int chassis, double road) {
  model.forget_matrix();
  double mass = 0.0, moment = 0.0;
  for (const BodyData& b : d.bodies) {
    mass += b.mass;
    moment += b.mass * b.centre.x;
  }
  const double x_front = 0.5 * (d.wheels[0].centre.x + d.wheels[1].centre.x);
  const double wheelbase = x_front - 0.5 * (d.wheels[2].centre.x + d.wheels[3].centre.x);
  const double behind = mass * ((x_front - moment / mass) / wheelbase);
  const double front = detail::height_above_rest(d, model, 0, mass - behind, road);
  const double slope = (front - detail::height_above_rest(d, model, 2, behind, road)) / wheelbase;
  const V3 centre = d.bodies[static_cast<std::size_t>(chassis)].centre;
  const Quat<double> turn = quat_exp(V3{0.0, std::atan(slope), 0.0});
  const double drop = front - slope * (d.wheels[0].centre.x - centre.x);
  for (std::size_t i = 0; i < d.bodies.size(); ++i) {
    model.state.poses[i] = {rotate(turn, d.bodies[i].centre - centre) + centre - V3{0.0, 0.0, drop}, turn};
  }
}

}  // namespace trackrod::multibody
