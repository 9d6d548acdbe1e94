// cuDNN of both versions, by the names of NVIDIA's DLLs: a convolution, and what is negative made zero.

#include "check.h"
#include "device.h"

// As cuDNN's headers have them.
enum { REAL_32F = 0, BY_PLANES = 0, CROSS_CORRELATION = 1, DIRECT = 0, RECTIFIED = 1 };
enum { SIDE = 6, FILTER = 3, LEFT = SIDE - FILTER + 1 };

static int check(const char *main, const char *part) {
  HMODULE networks = library(main);
  int wrong = 0;
  // The parts of the library have its functions, too.
  int (*create)(void **) = function(networks, "cudnnCreate");
  int (*destroy)(void *) = function(library(part), "cudnnDestroy");
  int (*tensor)(void **) = function(networks, "cudnnCreateTensorDescriptor");
  int (*shape)(void *, int, int, int, int, int, int) = function(networks, "cudnnSetTensor4dDescriptor");
  int (*filter)(void **) = function(networks, "cudnnCreateFilterDescriptor");
  int (*shape_filter)(void *, int, int, int, int, int, int) = function(networks, "cudnnSetFilter4dDescriptor");
  int (*convolution)(void **) = function(networks, "cudnnCreateConvolutionDescriptor");
  int (*shape_convolution)(void *, int, int, int, int, int, int, int, int) =
      function(networks, "cudnnSetConvolution2dDescriptor");
  int (*convolve)(void *, const float *, void *, const void *, void *, const void *, void *, int, void *, size_t, const float *,
                  void *, void *) = function(networks, "cudnnConvolutionForward");
  int (*activation)(void **) = function(networks, "cudnnCreateActivationDescriptor");
  int (*shape_activation)(void *, int, int, double) = function(networks, "cudnnSetActivationDescriptor");
  int (*activate)(void *, void *, const float *, void *, const void *, const float *, void *, void *) =
      function(networks, "cudnnActivationForward");

  float image[SIDE * SIDE], weights[FILTER * FILTER], wanted[LEFT * LEFT], found[LEFT * LEFT];
  for (int i = 0; i < SIDE * SIDE; i++) image[i] = i * 5 % 7 - 3;
  for (int i = 0; i < FILTER * FILTER; i++) weights[i] = i * 2 % 5 - 2;
  for (int y = 0; y < LEFT; y++)
    for (int x = 0; x < LEFT; x++) {
      float sum = 0;
      for (int row = 0; row < FILTER; row++)
        for (int column = 0; column < FILTER; column++)
          sum += image[(y + row) * SIDE + x + column] * weights[row * FILTER + column];
      wanted[y * LEFT + x] = sum;
    }

  void *handle = NULL, *from = NULL, *by = NULL, *how = NULL, *to = NULL, *rectifier = NULL;
  void *result = device(NULL, sizeof found);
  float one = 1, zero = 0;
  IS(0, create(&handle));
  IS(0, tensor(&from) || shape(from, BY_PLANES, REAL_32F, 1, 1, SIDE, SIDE));
  IS(0, tensor(&to) || shape(to, BY_PLANES, REAL_32F, 1, 1, LEFT, LEFT));
  IS(0, filter(&by) || shape_filter(by, REAL_32F, BY_PLANES, 1, 1, FILTER, FILTER));
  IS(0, convolution(&how) || shape_convolution(how, 0, 0, 1, 1, 1, 1, CROSS_CORRELATION, REAL_32F));
  IS(0, convolve(handle, &one, from, device(image, sizeof image), by, device(weights, sizeof weights), how, DIRECT, NULL, 0,
                 &zero, to, result));
  to_host(found, result, sizeof found);
  int bad = 0, negative = 0;
  for (int i = 0; i < LEFT * LEFT; i++) bad += found[i] != wanted[i], negative += wanted[i] < 0;
  IS(0, bad);
  IS(1, negative > 0 && negative < LEFT * LEFT);
  IS(0, activation(&rectifier) || shape_activation(rectifier, RECTIFIED, 0, 0));
  IS(0, activate(handle, rectifier, &one, to, result, &zero, to, result));
  to_host(found, result, sizeof found);
  bad = 0;
  for (int i = 0; i < LEFT * LEFT; i++) bad += found[i] != (wanted[i] < 0 ? 0 : wanted[i]);
  IS(0, bad);
  IS(0, destroy(handle));
  return wrong;
}

int main(void) {
  start();
  int wrong = check("cudnn64_9.dll", "cudnn_ops64_9.dll") + check("cudnn64_8.dll", "cudnn_ops_infer64_8.dll");
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
