// Steps vehicles on the GPU and the same on the CPU, and prints how far apart they end.
//
//   step_on_device CASE          (a file that benchmarks/device_case.py writes)
//
// The file holds doubles: vehicles, steps, h, size of the block; the block; for each vehicle parameters and state; for
// each step and vehicle the inputs; for each vehicle the state that the Python module reached, four wheels abreast.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "batch.cuh"

using namespace trackrod::rtm;

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

template <class T>
static T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof(T)));
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

static std::vector<double> read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) {
    fprintf(stderr, "%s cannot be opened\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  std::vector<double> numbers(static_cast<size_t>(ftell(file)) / sizeof(double));
  rewind(file);
  const size_t count = fread(numbers.data(), sizeof(double), numbers.size(), file);
  fclose(file);
  if (count != numbers.size()) exit(2);
  return numbers;
}

// Largest difference of any number, over its largest magnitude in all vehicles (and at least one).
static double difference(const std::vector<State<double>>& a, const std::vector<State<double>>& b) {
  double worst = 0.0;
  for (int k = 0; k < State<double>::size; ++k) {
    double size = 1.0, apart = 0.0;
    for (size_t i = 0; i < a.size(); ++i) {
      size = fmax(size, fabs(b[i].data()[k]));
      const double d = fabs(a[i].data()[k] - b[i].data()[k]);
      apart = d <= apart ? apart : d;  // keeps a NaN
    }
    worst = apart / size <= worst ? worst : apart / size;
  }
  return worst;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: step_on_device CASE\n");
    return 2;
  }
  const std::vector<double> file = read_file(argv[1]);
  const double* at = file.data();
  const int vehicles = static_cast<int>(*at++), steps = static_cast<int>(*at++);
  const double h = *at++;
  const size_t size = static_cast<size_t>(*at++);
  const std::vector<double> block(at, at + size);
  at += size;
  std::vector<Parameters<double>> parameters;
  std::vector<State<double>> start, abreast;
  std::vector<Inputs<double>> inputs;
  for (int i = 0; i < vehicles; ++i, at += Parameters<double>::size + State<double>::size) {
    parameters.push_back(Parameters<double>::from_array(at));
    start.push_back(State<double>::from_array(at + Parameters<double>::size));
  }
  for (int i = 0; i < vehicles * steps; ++i, at += Inputs<double>::size)
    inputs.push_back(Inputs<double>::from_array(at));
  for (int i = 0; i < vehicles; ++i, at += State<double>::size) abreast.push_back(State<double>::from_array(at));

  // on the CPU, one wheel after the other
  const Compiled<double, 1> model = view<1>(block.data());
  std::vector<State<double>> here = start;
  for (int i = 0; i < vehicles; ++i) {
    Outputs<double> out{};
    for (int k = 0; k < steps; ++k) {
      step(model, parameters[static_cast<size_t>(i)], here[static_cast<size_t>(i)],
           inputs[static_cast<size_t>(k) * static_cast<size_t>(vehicles) + static_cast<size_t>(i)], out, h);
    }
  }

  const double* block_there = on_device(block);
  const Parameters<double>* parameters_there = on_device(parameters);
  State<double>* states_there = on_device(start);
  const Inputs<double>* inputs_there = on_device(inputs);
  Outputs<double>* outputs_there = on_device(std::vector<Outputs<double>>(static_cast<size_t>(vehicles)));
  constexpr int threads = 64;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  step_batch<<<(vehicles + threads - 1) / threads, threads>>>(block_there, parameters_there, states_there, inputs_there,
                                                              outputs_there, vehicles, steps, h);
  check(cudaGetLastError());
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0.0F;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  std::vector<State<double>> there = start;
  check(cudaMemcpy(there.data(), states_there, there.size() * sizeof(State<double>), cudaMemcpyDeviceToHost));

  printf("%d vehicles, %d steps of %g s; block %zu bytes, state %zu bytes\n", vehicles, steps, h,
         block.size() * sizeof(double), sizeof(State<double>));
  printf("speed of vehicle 1: %.6f m/s at the start, %.6f m/s on the GPU at the end\n", start[0].velocity.x,
         there[0].velocity.x);
  const double device = difference(there, here), lanes = difference(there, abreast);
  printf("largest difference: %.2e from the CPU, wheel after wheel; %.2e from the CPU, four wheels abreast\n", device,
         lanes);
  printf("%.3g vehicle-steps a second\n", 1e3 * static_cast<double>(vehicles) * steps / milliseconds);
  const bool agree = device <= 1e-9 && lanes <= 1e-9;
  printf("%s\n", agree ? "agrees to 1e-9" : "DOES NOT AGREE to 1e-9");
  return agree ? 0 : 1;
}
