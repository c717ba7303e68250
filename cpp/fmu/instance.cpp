#include "instance.hpp"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

namespace trackrod::fmu {
namespace {

constexpr unsigned begins[group_count] = {settings_begin, parameters_begin, inputs_begin, outputs_begin};
constexpr unsigned group_span = 100000;
constexpr size_t record_size = 40;  // of a variable in the file

const char* const type_names[] = {"real", "integer", "boolean"};
const char* const mode_names[] = {"before the initialisation", "during the initialisation", "while the vehicle drives",
                                  "after the end", "after an error"};

template <class T>
T taken(const unsigned char*& from) {
  T value;
  memcpy(&value, from, sizeof(T));
  from += sizeof(T);
  return value;
}
template <class T>
void put(unsigned char*& to, const T& value) {
  memcpy(to, &value, sizeof(T));
  to += sizeof(T);
}

std::string written(double value) {
  char text[40];
  snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

// Head of a state that is written down: mark, version, vehicle, bytes, mode, check sum, steps, time of the start.
constexpr size_t state_head = 48;
constexpr uint64_t state_mark = 0x5445545344525254u;

}  // namespace

Status Instance::refuse(Status status, const std::string& why) const {
  if (log_ != nullptr) {
    std::string plain = why;
    std::replace(plain.begin(), plain.end(), '%', ' ');  // a logger takes it for a format
    log_(environment_, status, plain.c_str());
  }
  return status;
}

Instance* Instance::make(const std::string& folder, const std::string& token, Log log, void* environment) {
  std::unique_ptr<Instance> made(new Instance);
  made->log_ = log;
  made->environment_ = environment;
  std::string why;
  const bool separated = !folder.empty() && (folder.back() == '/' || folder.back() == '\\');
  if (!made->file_.read(folder + (separated ? "" : "/") + "vehicle.bin", why)) return made->refuse(Status::error, why), nullptr;
  if (!token.empty() && token != made->file_.section("token").text()) {
    return made->refuse(Status::error, "the token is not that of the model description"), nullptr;
  }
  made->model_ = make_model(made->file_, folder, why);
  if (!made->model_ || !made->load_variables(why)) return made->refuse(Status::error, why), nullptr;
  made->begin();
  return made.release();
}

bool Instance::load_variables(std::string& why) {
  const DataFile::Section records = file_.section("vars"), names = file_.section("names");
  for (int g = 0; g < group_count; ++g) places_[g].assign(static_cast<size_t>(model_->count(Group(g))), -1);
  for (const unsigned char* at = records.bytes; at + record_size <= records.bytes + records.size;) {
    Variable v;
    const uint32_t reference = taken<uint32_t>(at);
    v.type = static_cast<Type>(taken<uint32_t>(at));
    const size_t begin = taken<uint32_t>(at), length = taken<uint32_t>(at);
    v.start = taken<double>(at);
    v.low = taken<double>(at);
    v.high = taken<double>(at);
    int g = 0;
    while (g < group_count && reference / group_span != begins[g] / group_span) ++g;
    v.place = reference % group_span;
    if (g == group_count || v.place >= places_[g].size() || begin + length > names.size || v.type > Type::boolean) {
      return why = "the variables of the file do not fit the model", false;
    }
    v.group = Group(g);
    v.name.assign(reinterpret_cast<const char*>(names.bytes) + begin, length);
    places_[g][v.place] = static_cast<int>(variables_.size());
    variables_.push_back(v);
  }
  return true;
}

void Instance::begin() {
  model_->clear();
  for (const Variable& v : variables_) {
    if (v.group != outputs) model_->values(v.group)[v.place] = v.start;
  }
  mode_ = Mode::instantiated;
  steps_ = 0;
  start_ = stop_ = 0.0;
  has_stop_ = current_ = read_ = false;
}

double Instance::time() const { return start_ + static_cast<double>(steps_) * model_->step_size(); }

const Variable* Instance::find(uint32_t reference) const {
  for (int g = 0; g < group_count; ++g) {
    const size_t place = reference % group_span;
    if (reference / group_span != begins[g] / group_span) continue;
    if (place >= places_[g].size() || places_[g][place] < 0) return nullptr;
    return &variables_[static_cast<size_t>(places_[g][place])];
  }
  return nullptr;
}

const Variable* Instance::find(const std::string& name, uint32_t& reference) const {
  for (const Variable& v : variables_) {
    if (v.name != name) continue;
    reference = begins[v.group] + v.place;
    return &v;
  }
  return nullptr;
}

bool Instance::initialise() {
  if (current_) return true;
  std::string why;
  if (!model_->initialise(why)) {
    mode_ = Mode::failed;
    refuse(Status::error, "the initialisation failed: " + why);
    return false;
  }
  return current_ = read_ = true;
}

Status Instance::get(const uint32_t* references, size_t count, Type type, double* values) {
  if (mode_ == Mode::instantiated || mode_ == Mode::failed) {
    return refuse(Status::error, std::string("values cannot be read ") + mode_names[static_cast<int>(mode_)]);
  }
  for (size_t i = 0; i < count; ++i) {
    if (references[i] == 0 && type == Type::real) {
      values[i] = time();
      continue;
    }
    const Variable* v = find(references[i]);
    if (v == nullptr || v->type != type) {
      return refuse(Status::error, std::string("there is no ") + type_names[static_cast<int>(type)] +
                                       " variable with the reference " + std::to_string(references[i]));
    }
    if (v->group == outputs && mode_ == Mode::initialising && !initialise()) return Status::error;
    if (v->group == outputs && !read_) {
      model_->read_outputs();
      read_ = true;
    }
    values[i] = model_->values(v->group)[v->place];
  }
  return Status::ok;
}

Status Instance::set(const uint32_t* references, size_t count, Type type, const double* values) {
  if (mode_ == Mode::terminated || mode_ == Mode::failed) {
    return refuse(Status::error, std::string("values cannot be set ") + mode_names[static_cast<int>(mode_)]);
  }
  for (size_t i = 0; i < count; ++i) {  // all are looked at before any is set
    const Variable* v = find(references[i]);
    if (v == nullptr || v->type != type) {
      return refuse(Status::error, std::string("there is no ") + type_names[static_cast<int>(type)] +
                                       " variable with the reference " + std::to_string(references[i]));
    }
    if (v->group == outputs) return refuse(Status::error, v->name + " is an output, it cannot be set");
    if (v->group != inputs && mode_ == Mode::stepping) {
      return refuse(Status::error, v->name + " is fixed: it can be set before and during the initialisation alone");
    }
    if (!isfinite(values[i])) return refuse(Status::discard, v->name + " is not a finite number");
    if (!(values[i] >= v->low && values[i] <= v->high)) {
      return refuse(Status::discard, v->name + " is " + written(values[i]) + ", " + written(v->low) + " to " +
                                         written(v->high) + " is allowed");
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const Variable* v = find(references[i]);
    model_->values(v->group)[v->place] = values[i];
  }
  if (mode_ != Mode::stepping) current_ = false;
  return Status::ok;
}

Status Instance::enter_initialisation(double start, bool has_stop, double stop) {
  if (mode_ != Mode::instantiated) {
    return refuse(Status::error, std::string("the initialisation cannot begin ") + mode_names[static_cast<int>(mode_)]);
  }
  if (!isfinite(start) || (has_stop && !(stop >= start))) {
    return refuse(Status::error, "the start " + written(start) + " s and the stop " + written(stop) + " s do not fit");
  }
  start_ = start;
  stop_ = stop;
  has_stop_ = has_stop;
  mode_ = Mode::initialising;
  return Status::ok;
}

Status Instance::exit_initialisation() {
  if (mode_ != Mode::initialising) {
    return refuse(Status::error, std::string("there is no initialisation to end ") + mode_names[static_cast<int>(mode_)]);
  }
  if (!initialise()) return Status::error;
  mode_ = Mode::stepping;
  return Status::ok;
}

Status Instance::do_step(double now, double length, Between between, void* context, double& reached, bool& early) {
  early = false;
  reached = time();
  if (mode_ != Mode::stepping) {
    return refuse(Status::error, std::string("a step cannot be made ") + mode_names[static_cast<int>(mode_)]);
  }
  const double h = model_->step_size(), wanted = length / h;
  if (!(length > 0.0) || !isfinite(length)) {
    return refuse(Status::error, "the communication step is " + written(length) + " s, it must be greater than zero");
  }
  if (!(fabs(now - reached) <= 1e-6 * h + 1e-12 * fabs(reached))) {
    return refuse(Status::error, "a step from " + written(now) + " s was asked for, the vehicle is at " + written(reached) + " s");
  }
  if (wanted > 1e9 || fabs(wanted - round(wanted)) > 1e-6 * fmax(1.0, wanted * 1e-6) || wanted < 0.5) {
    return refuse(Status::discard, "the communication step " + written(length) + " s is no multiple of the internal step " +
                                       written(h) + " s");
  }
  const int count = static_cast<int>(lround(wanted));
  if (has_stop_ && reached + length > stop_ + 0.5 * h) {
    return refuse(Status::error, "the step would end behind the stop time of " + written(stop_) + " s");
  }
  std::string why;
  if (!model_->admits(why)) return refuse(Status::error, why);
  for (int i = 0; i < count; ++i) {
    const bool good = model_->step(count - i);
    ++steps_;
    read_ = false;
    reached = time();
    if (!good) {
      mode_ = Mode::failed;
      return refuse(Status::error, "the motion breaks down at " + written(reached) + " s");
    }
    if (between != nullptr && i + 1 < count && between(context, reached)) {
      early = true;
      break;
    }
  }
  return Status::ok;
}

Status Instance::derivative(const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns, size_t known_count,
                            const double* along, double* found) {
  if (mode_ != Mode::stepping) {
    return refuse(Status::error, std::string("there are no directional derivatives ") + mode_names[static_cast<int>(mode_)]);
  }
  std::vector<double> direction(static_cast<size_t>(model_->count(inputs))), all(static_cast<size_t>(model_->count(outputs)));
  for (size_t i = 0; i < unknown_count + known_count; ++i) {
    const bool given = i >= unknown_count;
    const uint32_t reference = given ? knowns[i - unknown_count] : unknowns[i];
    const Variable* v = find(reference);
    if (v == nullptr || v->type != Type::real || v->group != (given ? inputs : outputs)) {
      return refuse(Status::error, "derivatives are those of real outputs by real inputs; " + std::to_string(reference) +
                                       " is no real " + (given ? "input" : "output"));
    }
    if (!given) continue;
    if (!isfinite(along[i - unknown_count])) return refuse(Status::error, "a direction is not a finite number");
    direction[v->place] += along[i - unknown_count];
  }
  std::string why;
  if (!model_->admits(why) || !model_->derivative(direction.data(), all.data(), why)) return refuse(Status::error, why);
  for (size_t i = 0; i < unknown_count; ++i) found[i] = all[find(unknowns[i])->place];
  return Status::ok;
}

Status Instance::terminate() {
  if (mode_ != Mode::stepping) {
    return refuse(Status::error, std::string("there is nothing to end ") + mode_names[static_cast<int>(mode_)]);
  }
  mode_ = Mode::terminated;
  return Status::ok;
}

Status Instance::reset() {
  begin();
  return Status::ok;
}

// ---- states that are kept

bool Instance::owns(const Kept* state) const {
  return state != nullptr &&
         std::any_of(kept_.begin(), kept_.end(), [&](const std::unique_ptr<Kept>& one) { return one.get() == state; });
}

Status Instance::keep(Kept*& state) {
  if (state != nullptr && !owns(state)) return refuse(Status::error, "the state is none of this instance");
  if (mode_ == Mode::initialising && !initialise()) return Status::error;
  if (state == nullptr) {
    kept_.push_back(std::make_unique<Kept>());
    state = kept_.back().get();
  }
  if (!read_ && mode_ == Mode::stepping) {
    model_->read_outputs();  // what was told belongs to the state
    read_ = true;
  }
  state->mode = mode_;
  state->steps = steps_;
  state->start = start_;
  state->memory.resize(model_->state_size());
  model_->save(state->memory.data());
  return Status::ok;
}

Status Instance::restore(const Kept* state) {
  if (!owns(state)) return refuse(Status::error, "the state is none of this instance");
  if (!model_->restore(state->memory.data())) {
    mode_ = Mode::failed;
    return refuse(Status::error, "the state is that of no vehicle");
  }
  mode_ = state->mode;
  steps_ = state->steps;
  start_ = state->start;
  current_ = read_ = mode_ != Mode::instantiated;
  return Status::ok;
}

Status Instance::drop(Kept*& state) {
  if (state == nullptr) return Status::ok;
  if (!owns(state)) return refuse(Status::error, "the state is none of this instance");
  kept_.erase(std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.get() == state; }));
  state = nullptr;
  return Status::ok;
}

Status Instance::measure(const Kept* state, size_t& size) {
  if (!owns(state)) return refuse(Status::error, "the state is none of this instance");
  size = state_head + state->memory.size();
  return Status::ok;
}

Status Instance::write(const Kept* state, unsigned char* bytes, size_t size) {
  if (!owns(state)) return refuse(Status::error, "the state is none of this instance");
  if (size < state_head + state->memory.size()) return refuse(Status::error, "the space for the state is too small");
  put(bytes, state_mark);
  put(bytes, uint32_t(1));
  put(bytes, file_.checksum() ^ model_->checksum());
  put(bytes, static_cast<uint64_t>(state->memory.size()));
  put(bytes, static_cast<uint32_t>(state->mode));
  put(bytes, crc32(state->memory.data(), state->memory.size()));
  put(bytes, state->steps);
  put(bytes, state->start);
  memcpy(bytes, state->memory.data(), state->memory.size());
  return Status::ok;
}

Status Instance::read(const unsigned char* bytes, size_t size, Kept*& state) {
  if (bytes == nullptr || size < state_head) return refuse(Status::error, "the written state is too short");
  const bool ours = taken<uint64_t>(bytes) == state_mark;
  const uint32_t version = taken<uint32_t>(bytes), vehicle = taken<uint32_t>(bytes);
  const uint64_t count = taken<uint64_t>(bytes);
  const uint32_t mode = taken<uint32_t>(bytes), sum = taken<uint32_t>(bytes);
  const uint64_t steps = taken<uint64_t>(bytes);
  const double start = taken<double>(bytes);
  if (!ours || version != 1 || vehicle != (file_.checksum() ^ model_->checksum()) || count != model_->state_size() || size < state_head + count) {
    return refuse(Status::error, "the written state is that of another vehicle or program");
  }
  if (sum != crc32(bytes, count) || mode > static_cast<uint32_t>(Mode::failed) || !isfinite(start)) {
    return refuse(Status::error, "the written state is damaged");
  }
  kept_.push_back(std::make_unique<Kept>());
  state = kept_.back().get();
  *state = {static_cast<Mode>(mode), steps, start, {bytes, bytes + count}};
  return Status::ok;
}

}  // namespace trackrod::fmu
