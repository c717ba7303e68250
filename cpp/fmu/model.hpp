// A model behind the shells: numbers in groups, an initialisation, steps, and everything that changes as bytes.
#pragma once

#include <stddef.h>

#include <memory>
#include <string>

#include "data_file.hpp"

namespace trackrod::fmu {

// Groups of variables, numbered as in trackrod.export.layout.
enum Group { settings, parameters, inputs, outputs, group_count };

class Model {
 public:
  virtual ~Model() = default;

  // The numbers of a group in the order of their declaration. Outputs are those of the last read_outputs().
  virtual double* values(Group group) = 0;
  virtual int count(Group group) const = 0;

  // From settings, parameters and inputs to a vehicle that rolls on the road; false, and a sentence that says why.
  virtual bool initialise(std::string& why) = 0;
  // Length of a step [s], known before the initialisation.
  virtual double step_size() const = 0;
  // Whether what was given while driving is allowed together; each number lies in its range already.
  virtual bool admits(std::string& why) = 0;
  // One step, with so many of the communication step left: what is ramped goes this part of the way that is left.
  // Allocates and throws nothing; false where the motion is no longer finite.
  virtual bool step(int remaining) = 0;
  virtual void read_outputs() = 0;
  // Derivatives of all outputs along a direction of the inputs: a number for each input in, one for each output out.
  // Outputs of a communication point follow from steps that are over and depend on no input of now, so that at the point
  // itself all are zero. Changes nothing; false, and a sentence that says why, where there are none.
  virtual bool derivative(const double* along, double* out, std::string& why) {
    static_cast<void>(along), static_cast<void>(out);
    return why = "a directional derivative is not offered by this FMU", false;
  }

  // Of what it was made of beside the file of the vehicle; states of models with another number do not fit.
  virtual uint32_t checksum() const { return 0; }
  // Settings, parameters, inputs and outputs become zeros.
  virtual void clear() = 0;

  // Everything that changes once the model is loaded, as bytes: settings, parameters, inputs, outputs, state. Saving
  // changes nothing, and a model that is restored goes on bit for bit; false where the bytes are those of no vehicle.
  virtual size_t state_size() = 0;
  virtual void save(unsigned char* to) = 0;
  virtual bool restore(const unsigned char* from) = 0;
};

// The model that a file holds, with what lies beside it in its folder; none, and a sentence that says why, if the runtime
// does not have it.
std::unique_ptr<Model> make_model(const DataFile& file, const std::string& folder, std::string& why);

}  // namespace trackrod::fmu
