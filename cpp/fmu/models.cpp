// The models that this runtime holds.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // about passing SIMD vectors between old and new binaries
#endif

#include "multibody_model.hpp"
#include "quarter_car_model.hpp"
#include "rtm_model.hpp"

// Everything that a step calls becomes part of it, so that the whole of it exists for both instruction sets.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRACKROD_VARIANTS __attribute__((flatten, target_clones("avx2", "default")))
#else
#define TRACKROD_VARIANTS
#endif

namespace trackrod::fmu {

TRACKROD_VARIANTS void step_rtm(const RtmCompiled& model, const rtm::Parameters<double>& p, rtm::State<double>& s,
                                const rtm::Inputs<double>& in, rtm::Outputs<double>& out, double h) {
  rtm::step(model, p, s, in, out, h);
}

TRACKROD_VARIANTS bool step_multibody(multibody::RoadVehicle& vehicle, const multibody::Controls& controls, double h) {
  return vehicle.step(controls, h);
}

std::unique_ptr<Model> make_model(const DataFile& file, const std::string& folder, std::string& why) {
  if (file.model() == ModelKind::multibody) return MultibodyModel::make(file.section("vehicle"), folder, why);
  if (file.model() == ModelKind::quarter_car) return QuarterCarModel::make(file.section("quarter"), why);
  if (file.model() == ModelKind::reduced_vehicle) return ReducedVehicleModel::make(file.section("quarter"), why);
  if (file.model() != ModelKind::rtm) return why = "this runtime does not have the model of the file", nullptr;
  const DataFile::Section block = file.section("block"), numbers = file.section("numbers");
  const DataFile::Section limits = file.section("validity");  // empty where the model has no domain
  const bool whole = block.count() > 2 && block.numbers()[0] == rtm::block_version &&
                     block.numbers()[1] == static_cast<double>(block.count()) && numbers.count() == 1 &&
                     (limits.size == 0 || limits.size == sizeof(Domain));
  if (!whole) return why = "the file of the vehicle holds a model of another version", nullptr;
  const Domain* const domain = limits.size == 0 ? nullptr : reinterpret_cast<const Domain*>(limits.bytes);
  return std::make_unique<RtmModel>(block.numbers(), numbers.numbers()[0], domain);
}

}  // namespace trackrod::fmu
