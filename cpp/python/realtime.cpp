// A model in step with the clock, without the GIL: how long each step takes, and a driver at the other end of a socket.
//
// Datagrams, little-endian. To the vehicle, 48 bytes: "TRKI", version (u16), 0 (u16), sequence (u32), 0 (u32), steering-wheel
// angle [rad], throttle, brake, gear (f64 each). From the vehicle: "TRKO", version (u16), number of signals (u16), step
// (u32), sequence of the last datagram that was taken (u32), flags (u32; 1: the client is silent), datagrams that were
// dropped (u32), then the signals of the vocabulary in its order (f64 each).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#if defined(__linux__)
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "rtm_steps.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/parameters.hpp"
#include "trackrod/multibody/vehicle.hpp"
#include "trackrod/rtm/motion.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Angle [rad], throttle, brake, gear.
struct DriverRow {
  double values[4] = {};
};

class Plant {
 public:
  virtual ~Plant() = default;
  virtual bool step(const DriverRow& given, double h) = 0;
  virtual void signals(double* out) = 0;
  virtual void back_to_start() = 0;
};

class MultibodyPlant final : public Plant {
 public:
  MultibodyPlant(const nb::bytes& data, double road, double speed) {
    multibody::Description d;
    const auto require = [](const std::string& problem) {
      if (!problem.empty()) throw std::invalid_argument(problem);
    };
    require(read_data(static_cast<const unsigned char*>(data.data()), data.size(), d));
    require(vehicle_.load(std::move(d)));
    require(vehicle_.settle(road));
    require(vehicle_.start(speed, 0));
    start_.resize(vehicle_.state_size());
    vehicle_.save(start_.data());
  }
  bool step(const DriverRow& given, double h) override {
    controls_.steering_wheel_angle = given.values[0];
    controls_.throttle = given.values[1];
    controls_.brake = given.values[2];
    controls_.gear = given.values[3];
    return vehicle_.step(controls_, h);
  }
  void signals(double* out) override { vehicle_.signals(out); }
  void back_to_start() override { vehicle_.restore(start_.data()); }

 private:
  multibody::RoadVehicle vehicle_;
  multibody::Controls controls_;
  std::vector<double> start_;
};

class RtmPlant final : public Plant {
 public:
  RtmPlant(const Values& block, const Values& parameters, const Values& state, double pressure)
      : block_(block.data(), block.data() + block.size()), pressure_(pressure) {
    if (block.size() < 2 || block.data()[0] != rtm::block_version) throw std::invalid_argument("this is not a compiled model");
    if (parameters.size() != static_cast<size_t>(rtm::Parameters<double>::size) ||
        state.size() != static_cast<size_t>(rtm::State<double>::size + rtm::Inputs<double>::size)) {
      throw std::invalid_argument("parameters or state do not fit the model");
    }
    model_ = rtm::view<rtm_lanes<double>>(block_.data());
    run_.parameters = rtm::Parameters<double>::from_array(parameters.data());
    run_.state = rtm::State<double>::from_array(state.data());
    run_.inputs = rtm::Inputs<double>::from_array(state.data() + rtm::State<double>::size);
    run_.outputs = rtm::Outputs<double>::initial();
    start_ = run_;
  }
  bool step(const DriverRow& given, double h) override {
    rtm::ScriptRows row;
    row.rows = given.values;
    row.h = h;
    rtm::ScriptDriver<double> driver(row, run_.inputs.throttle);
    step_many(model_, run_, driver, h, 0, 1);
    return std::isfinite(run_.state.position.x + run_.state.velocity.x + run_.state.angular_velocity.z);
  }
  void signals(double* out) override {
    write_signals(rtm::read_motion(model_, run_.parameters, run_.state, run_.inputs, run_.outputs, pressure_), out);
  }
  void back_to_start() override { run_ = start_; }

 private:
  Block<double> block_;
  RtmCompiled<double> model_;
  RtmRun<double> run_{}, start_{};
  double pressure_;
};

#if defined(__linux__)

// A socket on this machine alone, and what it has seen.
class Line {
 public:
  static constexpr size_t request_size = 48, reply_head = 24;
  static constexpr std::uint16_t version = 1;

  explicit Line(int port) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof at;
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      const std::string why = std::strerror(errno);
      if (socket_ >= 0) ::close(socket_);
      throw std::invalid_argument("the port " + std::to_string(port) + " cannot be opened: " + why);
    }
    port_ = ntohs(at.sin_port);
  }
  ~Line() { ::close(socket_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  int port() const { return port_; }

  // Takes all that has come; the newest counts. True if anything was taken.
  bool receive(DriverRow& given) {
    unsigned char bytes[256];
    bool taken = false;
    for (int i = 0; i < 64; ++i) {
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const ssize_t count = ::recvfrom(socket_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (count < 0) break;
      DriverRow row;
      std::uint32_t sequence;
      if (!parse(bytes, static_cast<size_t>(count), row, sequence)) {
        ++malformed;
        continue;
      }
      if (known_ && static_cast<std::int32_t>(sequence - last) <= 0) {
        ++late;
        continue;
      }
      given = row;
      last = sequence;
      client_ = from;
      known_ = taken = true;
      ++received;
    }
    return taken;
  }
  void send(const double* signals, std::uint32_t step, bool silent) {
    if (!known_) return;
    unsigned char bytes[reply_head + sizeof(double) * signal::signal_count];
    const std::uint16_t head[2] = {version, static_cast<std::uint16_t>(signal::signal_count)};
    const std::uint32_t more[4] = {step, last, silent ? 1u : 0u, static_cast<std::uint32_t>(malformed + late)};
    std::memcpy(bytes, "TRKO", 4);
    std::memcpy(bytes + 4, head, sizeof head);
    std::memcpy(bytes + 8, more, sizeof more);
    std::memcpy(bytes + reply_head, signals, sizeof(double) * signal::signal_count);
    ::sendto(socket_, bytes, sizeof bytes, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&client_), sizeof client_);
  }

  long received = 0, malformed = 0, late = 0;
  std::uint32_t last = 0;

 private:
  static bool parse(const unsigned char* bytes, size_t size, DriverRow& row, std::uint32_t& sequence) {
    std::uint16_t given;
    if (size != request_size || std::memcmp(bytes, "TRKI", 4) != 0) return false;
    std::memcpy(&given, bytes + 4, sizeof given);
    if (given != version) return false;
    std::memcpy(&sequence, bytes + 8, sizeof sequence);
    std::memcpy(row.values, bytes + 16, sizeof row.values);
    const double angle = row.values[0], throttle = row.values[1], brake = row.values[2], gear = row.values[3];
    return std::fabs(angle) < 100.0 && throttle >= 0.0 && throttle <= 1.0 && brake >= 0.0 && brake <= 1.0 && gear >= -1.0 &&
           gear < 100.0 && gear == std::floor(gear);
  }

  int socket_, port_ = 0;
  sockaddr_in client_{};
  bool known_ = false;
};

constexpr long second = 1000000000L;
long now_ns() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * second + t.tv_nsec;
}

// Locked memory and a fixed priority above all ordinary programs, as far as this machine allows.
class Priority {
 public:
  explicit Priority(bool wanted) {
    if (!wanted) return;
    locked = ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    sched_param p{};
    p.sched_priority = 80;
    first = ::sched_setscheduler(0, SCHED_FIFO, &p) == 0;
  }
  ~Priority() {
    if (locked) ::munlockall();
    sched_param p{};
    if (first) ::sched_setscheduler(0, SCHED_OTHER, &p);
  }
  Priority(const Priority&) = delete;
  Priority& operator=(const Priority&) = delete;
  bool locked = false, first = false;
};

class RealTimeRun {
 public:
  // From its data file, rolling.
  static RealTimeRun* of_multibody(const nb::bytes& data, double road, double speed) {
    return new RealTimeRun(std::make_unique<MultibodyPlant>(data, road, speed));
  }
  // From its block, its parameters and a state.
  static RealTimeRun* of_rtm(const Values& block, const Values& parameters, const Values& state, double pressure) {
    return new RealTimeRun(std::make_unique<RtmPlant>(block, parameters, state, pressure));
  }
  explicit RealTimeRun(std::unique_ptr<Plant> plant) : plant_(std::move(plant)) { plant_->signals(told_); }

  // Takes its inputs from a client from now on; the vehicle is brought to rest where that is silent this long [s].
  int listen(int port, double silence) {
    line_ = std::make_unique<Line>(port);
    silence_ = silence;
    quiet_ = silence;  // nobody has spoken yet
    return line_->port();
  }

  // One step without a clock, under the script's or the client's inputs.
  bool step(double h) { return advance(h, nullptr, 0); }

  // Steps in step with the clock under the rows of a script, again from the start at its end; times of each [s]: what
  // it took, how late it began. Whether memory was locked, whether the priority was given.
  std::tuple<NewArray, NewArray, bool, bool> run(double h, size_t steps, const Rows& script, bool priority) {
    if (!(h > 0.0)) throw std::invalid_argument("the step must be greater than zero");
    if (script.shape(0) > 0 && script.shape(1) != 4) throw std::invalid_argument("a script has four columns");
    std::vector<double> took(steps), waited(steps);
    size_t done = 0;
    bool locked, first, interrupted = false;
    {
      nb::gil_scoped_release release;
      const Priority given(priority);
      locked = given.locked;
      first = given.first;
      const long length = std::lround(h * static_cast<double>(second)), begin = now_ns() + length;
      for (; done < steps; ++done) {
        const long due = begin + static_cast<long>(done) * length;
        const timespec until{due / second, due % second};
        interrupted = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR;
        if (interrupted) break;
        const long awake = now_ns();
        const bool goes_on = advance(h, script.data(), script.shape(0));
        took[done] = static_cast<double>(now_ns() - awake) * 1e-9;
        waited[done] = static_cast<double>(awake - due) * 1e-9;
        if (!goes_on) break;
      }
    }
    if (interrupted && PyErr_CheckSignals() != 0) throw nb::python_error();
    NewArray times = new_array({done}), lateness = new_array({done});
    std::copy_n(took.data(), done, times.data());
    std::copy_n(waited.data(), done, lateness.data());
    return {times, lateness, locked, first};
  }

  NewArray signals() const {
    NewArray out = new_array({static_cast<size_t>(signal::signal_count)});
    std::copy_n(told_, static_cast<size_t>(signal::signal_count), out.data());
    return out;
  }
  // Datagrams that were taken, malformed, late; whether the client is silent.
  std::tuple<long, long, long, bool> heard() const {
    return line_ == nullptr ? std::make_tuple(0L, 0L, 0L, false)
                            : std::make_tuple(line_->received, line_->malformed, line_->late, is_silent());
  }

 private:
  static constexpr double stopping_brake = 0.3, straightening = 2.0, fastest_turn = 20.0;  // [-], [rad/s], [rad/s]

  bool is_silent() const { return line_ != nullptr && quiet_ >= silence_; }
  bool advance(double h, const double* script, size_t rows) {
    if (line_ != nullptr) {
      quiet_ = line_->receive(wanted_) ? 0.0 : quiet_ + h;
      if (is_silent()) wanted_ = {{0.0, 0.0, stopping_brake, 0.0}};
      follow((is_silent() ? straightening : fastest_turn) * h);
    } else if (rows > 0) {
      const size_t row = steps_ % rows;
      if (row == 0 && steps_ > 0) plant_->back_to_start();
      std::copy_n(script + 4 * row, 4, given_.values);
    }
    if (!plant_->step(given_, h)) return false;
    plant_->signals(told_);
    ++steps_;
    if (line_ != nullptr) line_->send(told_, static_cast<std::uint32_t>(steps_), is_silent());
    return true;
  }
  // Inputs of a client may jump; the steering wheel turns no faster than hands can turn it.
  void follow(double most) {
    const double before = given_.values[0], way = wanted_.values[0] - before;
    given_ = wanted_;
    given_.values[0] = before + (way > most ? most : way < -most ? -most : way);
  }

  std::unique_ptr<Plant> plant_;
  std::unique_ptr<Line> line_;
  DriverRow given_, wanted_;  // of the step, of the client
  double told_[signal::signal_count] = {};
  double silence_ = 0.0, quiet_ = 0.0;
  size_t steps_ = 0;
};

#endif

}  // namespace
}  // namespace trackrod

void bind_realtime(nb::module_& m) {
#if defined(__linux__)
  using trackrod::RealTimeRun;
  nb::class_<RealTimeRun>(m, "RealTimeRun", "A model in step with the clock.")
      .def_static("of_multibody", &RealTimeRun::of_multibody, nb::rv_policy::take_ownership, "data"_a, "road"_a, "speed"_a)
      .def_static("of_rtm", &RealTimeRun::of_rtm, nb::rv_policy::take_ownership, "block"_a, "parameters"_a, "state"_a,
                  "pressure"_a)
      .def("listen", &RealTimeRun::listen, "port"_a, "silence"_a, "The port, chosen if 0 is given.")
      .def("step", &RealTimeRun::step, "h"_a, "One step without a clock.")
      .def("run", &RealTimeRun::run, "h"_a, "steps"_a, "script"_a, "priority"_a,
           "Steps in step with the clock: (turnaround of each, lateness of each, memory locked, priority given).")
      .def("signals", &RealTimeRun::signals)
      .def("heard", &RealTimeRun::heard, "Datagrams that were taken, malformed, late; whether the client is silent.");
#else
  (void)m;
#endif
}
