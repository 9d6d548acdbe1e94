// cuBLAS, cuBLASLt, cuSPARSE and cuSOLVER, by the names of NVIDIA's DLLs. All numbers are whole and small, so that results are
// exact.

#include "check.h"
#include "device.h"

// As CUDA's headers have them.
enum { NOT_TRANSPOSED = 0, LOWER = 0, COMPUTE_32F = 68, REAL_32F = 0, INDEX_32I = 2 };
enum { ROWS = 37, COLUMNS = 21, INNER = 53 };

static float a[ROWS * INNER], b[INNER * COLUMNS], product[ROWS * COLUMNS];

// Matrices by columns, and what their product is.
static void fill(void) {
  for (int i = 0; i < ROWS * INNER; i++) a[i] = i * 7 % 11 - 5;
  for (int i = 0; i < INNER * COLUMNS; i++) b[i] = i * 5 % 13 - 6;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++) {
      long sum = 0;
      for (int k = 0; k < INNER; k++) sum += (long)a[row + k * ROWS] * (long)b[k + column * INNER];
      product[row + column * ROWS] = sum;
    }
}

static int differences(const void *found, const float *wanted, int count) {
  int bad = 0;
  float *host = malloc(count * sizeof *host);
  to_host(host, found, count * sizeof *host);
  for (int i = 0; i < count; i++) bad += host[i] != wanted[i];
  free(host);
  return bad;
}

static int check_blas(void) {
  HMODULE new = library("cublas64_13.dll"), old = library("cublas64_12.dll");
  int wrong = 0;
  void *handle = NULL;
  int (*create)(void **) = function(new, "cublasCreate_v2");
  int (*multiply)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int, const float *, void *,
                  int) = function(old, "cublasSgemm_v2");
  int (*destroy)(void *) = function(old, "cublasDestroy_v2");
  float one = 1, zero = 0;
  void *x = device(a, sizeof a), *y = device(b, sizeof b), *z = device(NULL, sizeof product);
  IS(0, create(&handle));
  IS(0, multiply(handle, NOT_TRANSPOSED, NOT_TRANSPOSED, ROWS, COLUMNS, INNER, &one, x, ROWS, y, INNER, &zero, z, ROWS));
  IS(0, differences(z, product, ROWS * COLUMNS));
  IS(0, destroy(handle));
  return wrong;
}

static int check_light(void) {
  HMODULE light = library("cublasLt64_13.dll"), old = library("cublasLt64_12.dll");
  int wrong = 0;
  void *handle = NULL, *operation = NULL, *layouts[3] = {NULL};
  int (*create)(void **) = function(light, "cublasLtCreate");
  int (*describe)(void **, int, int) = function(light, "cublasLtMatmulDescCreate");
  int (*lay_out)(void **, int, unsigned long long, unsigned long long, long long) =
      function(light, "cublasLtMatrixLayoutCreate");
  int (*multiply)(void *, void *, const float *, const void *, void *, const void *, void *, const float *, const void *, void *,
                  void *, void *, const void *, void *, size_t, void *) = function(light, "cublasLtMatmul");
  int (*destroy)(void *) = function(old, "cublasLtDestroy");
  float one = 1, zero = 0;
  void *x = device(a, sizeof a), *y = device(b, sizeof b), *z = device(NULL, sizeof product);
  IS(0, create(&handle));
  IS(0, describe(&operation, COMPUTE_32F, REAL_32F));
  IS(0, lay_out(&layouts[0], REAL_32F, ROWS, INNER, ROWS));
  IS(0, lay_out(&layouts[1], REAL_32F, INNER, COLUMNS, INNER));
  IS(0, lay_out(&layouts[2], REAL_32F, ROWS, COLUMNS, ROWS));
  IS(0, multiply(handle, operation, &one, x, layouts[0], y, layouts[1], &zero, z, layouts[2], z, layouts[2], NULL, NULL, 0,
                 NULL));
  IS(0, differences(z, product, ROWS * COLUMNS));
  IS(0, destroy(handle));
  return wrong;
}

// A matrix of three by three, by rows without its zeros:
//   2 0 1
//   0 3 0
//   1 0 4
enum { SIDE = 3, NONZEROS = 5 };
static const int starts[SIDE + 1] = {0, 2, 3, 5}, places[NONZEROS] = {0, 2, 1, 0, 2};

static int check_sparse(void) {
  HMODULE sparse = library("cusparse64_12.dll");
  int wrong = 0;
  const float values[NONZEROS] = {2, 1, 3, 1, 4}, vector[SIDE] = {1, 2, 3}, wanted[SIDE] = {5, 6, 13};
  int (*create)(void **) = function(sparse, "cusparseCreate");
  int (*matrix_of)(void **, long long, long long, long long, void *, void *, void *, int, int, int, int) =
      function(sparse, "cusparseCreateCsr");
  int (*vector_of)(void **, long long, void *, int) = function(sparse, "cusparseCreateDnVec");
  int (*size_of)(void *, int, const float *, void *, void *, const float *, void *, int, int, size_t *) =
      function(sparse, "cusparseSpMV_bufferSize");
  int (*multiply)(void *, int, const float *, void *, void *, const float *, void *, int, int, void *) =
      function(sparse, "cusparseSpMV");
  int (*destroy)(void *) = function(sparse, "cusparseDestroy");
  void *handle = NULL, *matrix = NULL, *x = NULL, *y = NULL, *to = device(NULL, sizeof wanted);
  float one = 1, zero = 0;
  size_t bytes = 0;
  IS(0, create(&handle));
  IS(0, matrix_of(&matrix, SIDE, SIDE, NONZEROS, device(starts, sizeof starts), device(places, sizeof places),
                  device(values, sizeof values), INDEX_32I, INDEX_32I, 0, REAL_32F));
  IS(0, vector_of(&x, SIDE, device(vector, sizeof vector), REAL_32F));
  IS(0, vector_of(&y, SIDE, to, REAL_32F));
  IS(0, size_of(handle, NOT_TRANSPOSED, &one, matrix, x, &zero, y, REAL_32F, 0, &bytes));
  IS(0, multiply(handle, NOT_TRANSPOSED, &one, matrix, x, &zero, y, REAL_32F, 0, device(NULL, bytes + 1)));
  IS(0, differences(to, wanted, SIDE));
  IS(0, destroy(handle));
  return wrong;
}

static int check_dense_solver(void) {
  HMODULE new = library("cusolver64_12.dll"), old = library("cusolver64_11.dll");
  int wrong = 0, words = 0, status = -1;
  // By columns; the upper part is not looked at. The factor is 2 0 0, 6 1 0, -8 5 3.
  const double matrix[9] = {4, 12, -16, 0, 37, -43, 0, 0, 98}, factor[9] = {2, 6, -8, 0, 1, 5, 0, 0, 3};
  double host[9];
  void *handle = NULL, *memory = device(matrix, sizeof matrix), *place = device(&status, sizeof status);
  int (*create)(void **) = function(new, "cusolverDnCreate");
  int (*size_of)(void *, int, int, void *, int, int *) = function(new, "cusolverDnDpotrf_bufferSize");
  int (*decompose)(void *, int, int, void *, int, void *, int, void *) = function(old, "cusolverDnDpotrf");
  int (*destroy)(void *) = function(old, "cusolverDnDestroy");
  IS(0, create(&handle));
  IS(0, size_of(handle, LOWER, 3, memory, 3, &words));
  IS(0, decompose(handle, LOWER, 3, memory, 3, device(NULL, words * sizeof(double) + 1), words, place));
  to_host(host, memory, sizeof host);
  to_host(&status, place, sizeof status);
  IS(0, status);
  for (int i = 0; i < 9; i++) IS(1, host[i] == factor[i]);
  IS(0, destroy(handle));
  return wrong;
}

// The descriptor of the matrix is an object of cuSPARSE's.
static int check_sparse_solver(void) {
  HMODULE sparse = library("cusparse64_12.dll"), solver = library("cusolver64_12.dll");
  int wrong = 0, singular = -2;
  const double values[NONZEROS] = {2, 1, 3, 1, 4}, right[SIDE] = {5, 6, 13};
  double host[SIDE];
  void *handle = NULL, *description = NULL, *x = device(NULL, sizeof host);
  int (*create)(void **) = function(solver, "cusolverSpCreate");
  int (*describe)(void **) = function(sparse, "cusparseCreateMatDescr");
  int (*solve)(void *, int, int, void *, const void *, const void *, const void *, const void *, double, int, void *, int *) =
      function(solver, "cusolverSpDcsrlsvqr");
  int (*destroy)(void *) = function(solver, "cusolverSpDestroy");
  IS(0, create(&handle));
  IS(0, describe(&description));
  IS(0, solve(handle, SIDE, NONZEROS, description, device(values, sizeof values), device(starts, sizeof starts),
              device(places, sizeof places), device(right, sizeof right), 1e-12, 0, x, &singular));
  IS(-1, singular);
  to_host(host, x, sizeof host);
  for (int i = 0; i < SIDE; i++) IS(1, host[i] > i + 1 - 1e-12 && host[i] < i + 1 + 1e-12);
  IS(0, destroy(handle));
  return wrong;
}

int main(void) {
  start();
  fill();
  int wrong = check_blas() + check_light() + check_sparse() + check_dense_solver() + check_sparse_solver();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
