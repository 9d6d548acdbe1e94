// Matrix operations: `zluda.matrix`. Each thread computes the elements of the result that it holds.

#include "matrix_double.h"
#include "matrix_factors.h"
#include "matrix_operation.h"

// Words of accumulators that are in registers.
#define MOST_RESULTS 8

static inline INLINE u32 half_of(u32 word, u32 index) { return word >> 16 * (index & 1) & 0xffff; }

// ---- mma

// Row `g + 8 * half` of `a`, where registers hold it.
static inline INLINE void gather_a(u64 operation, const u32 *in, factors *f) {
  u32 lane = lane_of_warp(), height = kind_of(operation) == WARP_GROUP ? 16 : m_of(operation);
  u32 count = stored_elements(operation) * element_bits(operation) / 32;
  UNROLL for (u32 half = 0; half < height / 8; half++) {
    UNROLL for (u32 word = 0; word < count; word++) {
      u32 index = height == 16 ? 2 * (word / 4) + half : word / 4;
      f->a[half][word] = word_of_lane(in, index, (lane & ~3u) + word % 4);
    }
  }
}

static inline INLINE void multiply(u64 operation, const u32 *in, u32 *out) {
  u32 lane = lane_of_warp(), halves = m_of(operation) / 8;
  u32 first_b = words_of_a(operation), first_c = first_b + words_of_b(operation);
  u32 count = elements_of_b(operation) * element_bits(operation) / 32;
  factors f;
  f.words = in;
  f.more = first_c + words_of_c(operation);
  gather_a(operation, in, &f);
  u32 c_half = c_type(operation) == F16, d_half = d_type(operation) == F16;
  u32 results[4] = {0};
  // One column after the other, in a loop that stays one for the size of the code.
  ROLLED for (u32 second = 0; second < 2; second++) {
    u32 column = lane % 4 * 2 + second;
    UNROLL for (u32 word = 0; word < count; word++) {
      f.b[word] = word_of_lane(in, first_b + word / 4, 4 * column + word % 4);
    }
    UNROLL for (u32 half = 0; half < halves; half++) {
      u32 c;
      if (c_half) {
        c = own_word(in, first_c + half) >> 16 * second & 0xffff;
      } else {
        u32 one = own_word(in, first_c + 2 * half), two = own_word(in, first_c + 2 * half + 1);
        c = second ? two : one;
      }
      u32 value = product_of(operation, &f, half, column, c);
      if (d_half) {
        results[half] |= value << 16 * second;
      } else {
        results[2 * half] = second ? results[2 * half] : value;
        results[2 * half + 1] = value;
      }
    }
  }
  UNROLL for (u32 word = 0; word < words_for(m_of(operation) * 8, d_half ? 16 : 32); word++) out[word] = results[word];
}

// f64: one fused operation after the other.
static inline INLINE void multiply_doubles(u64 operation, const u32 *in, u32 *out) {
  u32 lane = lane_of_warp(), halves = m_of(operation) / 8, depth = k_of(operation);
  u32 first_b = words_of_a(operation), first_c = first_b + words_of_b(operation);
  UNROLL for (u32 half = 0; half < halves; half++) {
    UNROLL for (u32 second = 0; second < 2; second++) {
      u32 element = 2 * half + second, column = lane % 4 * 2 + second;
      u64 sum = own_word(in, first_c + 2 * element) | (u64)own_word(in, first_c + 2 * element + 1) << 32;
      UNROLL for (u32 k = 0; k < depth; k++) {
        u32 at_a = 2 * (halves == 2 ? k / 4 * 2 + half : k / 4), at_b = first_b + 2 * (k / 4);
        u32 row_lane = (lane & ~3u) + k % 4, column_lane = 4 * column + k % 4;
        u64 a = word_of_lane(in, at_a, row_lane) | (u64)word_of_lane(in, at_a + 1, row_lane) << 32;
        u64 b = word_of_lane(in, at_b, column_lane) | (u64)word_of_lane(in, at_b + 1, column_lane) << 32;
        sum = fused(a, b, sum, rounding_of(operation));
      }
      out[2 * element] = (u32)sum;
      out[2 * element + 1] = (u32)(sum >> 32);
    }
  }
}

// ---- mma.m8n8k4 of f16: four products, each of eight lanes, `4 p` to `4 p + 3` and those 16 above. An H100 has no
// tensor cores for it: it is fused operations on f32, a chain where the result is f32 and two pairs where all is f16, to
// which the accumulator is added at the end.

// An element of four among the two words of a lane.
static inline INLINE float of_quad(const u32 *in, u32 first, u32 lane, u32 index) {
  u32 low = word_of_lane(in, first, lane), high = word_of_lane(in, first + 1, lane);
  return float_of(widened(half_of(index >= 2 ? high : low, index)));
}

// Element (`i`, `j`) of the accumulator, wherever it is.
static inline INLINE u32 accumulator_of_quads(u64 operation, const u32 *in, u32 pair, u32 i, u32 j) {
  u32 lane = 4 * pair + 16 * (i / 4);
  int halves = c_type(operation) == F16;
  lane += halves ? i % 4 : (i & 1) | (j & 2);
  u32 index = halves ? j : (i & 2) | (j & 4) | (j & 1);
  u32 found = 0;
  UNROLL for (u32 word = 0; word < words_of_c(operation); word++) {
    u32 value = word_of_lane(in, 4 + word, lane);
    found = (halves ? index / 2 : index) == word ? value : found;
  }
  return halves ? half_of(found, index) : found;
}

static inline INLINE void multiply_quad_pairs(u64 operation, const u32 *in, u32 *out) {
  u32 lane = lane_of_warp(), pair = lane % 16 / 4, within = lane % 4, second = lane / 16;
  int c_half = c_type(operation) == F16, d_half = d_type(operation) == F16;
  u32 results[MOST_RESULTS] = {0};
  UNROLL for (u32 index = 0; index < 8; index++) {
    u32 i = 4 * second + (d_half ? within : (index & 2) | (within & 1));
    u32 j = d_half ? index : (index & 4) | (within & 2) | (index & 1);
    float a[4], b[4];
    UNROLL for (u32 k = 0; k < 4; k++) {
      u32 row = 4 * pair + 16 * (i / 4), column = 4 * pair + 16 * (j / 4);
      a[k] = a_columns(operation) ? of_quad(in, 0, row + k, i % 4) : of_quad(in, 0, row + i % 4, k);
      b[k] = b_rows(operation) ? of_quad(in, 2, column + k, j % 4) : of_quad(in, 2, column + j % 4, k);
    }
    u32 c = accumulator_of_quads(operation, in, pair, i, j);
    float first = __builtin_fmaf(a[1], b[1], a[0] * b[0]);
    u32 sum;
    if (c_half && d_half) {
      float last = __builtin_fmaf(a[3], b[3], a[2] * b[2]);
      sum = add_f32(bits_of(first + last), widened(c));
    } else {
      float chain = __builtin_fmaf(a[3], b[3], __builtin_fmaf(a[2], b[2], first));
      sum = add_f32(bits_of(chain), c_half ? widened(c) : c);
    }
    if (d_half) results[index / 2] |= narrowed(sum) << 16 * (index % 2);
    else results[index] = sum;
  }
  UNROLL for (u32 word = 0; word < (d_half ? 4 : 8); word++) out[word] = results[word];
}

// ---- wgmma: the 16 rows of one warp of a group of four. The factors lie in shared memory where descriptors say; bits of
// a descriptor: 0 to 13 the address, 16 to 29 and 32 to 45 two distances, all in units of 16 bytes, 62 and 63 the swizzle.

#define ADDRESS_MASK 0x3ffffu

#ifdef __AMDGCN__
static inline INLINE u32 warp_number(void) { return zluda_warpid(); }

// What lies at an address, of which the low bits are known. Outside of the block's memory the hardware reads 0.
static inline INLINE u32 read_shared(u32 address, u32 bytes) {
  const void *place = zluda_amd_shared_place(zluda_amd_own_address(address & ADDRESS_MASK));
  switch (bytes) {
  case 1: return *(const u8 *)place;
  case 2: return *(const u16 *)place;
  default: return *(const u32 *)place;
  }
}
#else
extern const u8 *host_shared;
extern u32 host_shared_size, host_warp;
static inline u32 warp_number(void) { return host_warp; }
static inline u32 read_shared(u32 address, u32 bytes) {
  u32 offset = address & ADDRESS_MASK, value = 0;
  if (offset + bytes > host_shared_size) return 0;
  __builtin_memcpy(&value, host_shared + offset, bytes);
  return value;
}
#endif

// The code of element `k` of a row of `a` or a column of `b`, which is `line`; words of several elements where these lie
// side by side.
static inline INLINE u32 shared_element(u64 descriptor, int transposed, u32 line, u32 k, u32 element, u32 bytes) {
  u32 start = (u32)(descriptor & 0x3fff) << 4, leading = (u32)(descriptor >> 16 & 0x3fff) << 4;
  u32 stride = (u32)(descriptor >> 32 & 0x3fff) << 4, swizzle = (u32)(descriptor >> 62);
  // Bytes after which the pattern of a swizzle repeats; 16 without one.
  u32 width = swizzle ? 256 >> swizzle : 16, offset;
  if (transposed) {
    // Elements of one k lie side by side, `width` bytes of them.
    u32 along = line * element;
    u32 outer = width == 16 ? stride : leading, inner = width == 16 ? leading : stride;
    offset = along / width * outer + k / 8 * inner + k % 8 * width + along % width;
  } else {
    u32 along = k * element, across = line / 8 * stride + line % 8 * width;
    offset = width == 16 ? across + along / 16 * leading + along % 16 : across + along;
  }
  u32 address = start + offset;
  // Bits 7 to 9 are mixed into bits 4 to 6, as many as the width has.
  address ^= (address >> 7 & (width / 16 - 1)) << 4;
  return read_shared(address, bytes);
}

// The words of a row or a column.
static inline INLINE void shared_words(u32 *to, u64 descriptor, int transposed, u32 line, u32 bits, u32 count) {
  UNROLL for (u32 word = 0; word < count * bits / 32; word++) {
    u32 each = 32 / bits, value = 0;
    if (transposed) {
      UNROLL for (u32 i = 0; i < each; i++) {
        value |= shared_element(descriptor, 1, line, word * each + i, bits / 8, bits / 8) << bits * i;
      }
    } else {
      value = shared_element(descriptor, 0, line, word * each, bits / 8, 4);
    }
    to[word] = value;
  }
}

static inline INLINE void flip_signs(u32 *words, u32 bits, u32 count) {
  u32 signs = bits == 8 ? 0x80808080 : bits == 16 ? 0x80008000 : 0x80000000;
  UNROLL for (u32 word = 0; word < count * bits / 32; word++) words[word] ^= signs;
}

static inline INLINE u64 descriptor_at(const u32 *in, u32 first) {
  return word_of_lane(in, first, 0) | (u64)word_of_lane(in, first + 1, 0) << 32;
}

// Tiles of eight columns from the `first` one on, as many as the operation has.
static inline INLINE void multiply_tiles(u64 operation, const u32 *in, u32 *out, u32 first) {
  u32 lane = lane_of_warp(), bits = element_bits(operation);
  u32 first_b = words_of_a(operation), first_c = first_b + 2, c_words = words_of_c(operation);
  u32 count = stored_elements(operation), count_b = elements_of_b(operation);
  factors f;
  f.words = in;
  f.more = first_c + c_words;
  u32 accumulates = word_of_lane(in, f.more + (is_sparse(operation) ? 2 : 0), 0);
  if (a_in_registers(operation)) {
    gather_a(operation, in, &f);
  } else {
    u64 descriptor = descriptor_at(in, 0);
    u32 line = 16 * (warp_number() % 4) + lane / 4;
    shared_words(f.a[0], descriptor, (int)a_columns(operation), line, bits, count);
    shared_words(f.a[1], descriptor, (int)a_columns(operation), line + 8, bits, count);
  }
  if (negates_a(operation)) {
    flip_signs(f.a[0], bits, count);
    flip_signs(f.a[1], bits, count);
  }
  u64 descriptor = descriptor_at(in, first_b);
  int halves = c_type(operation) == F16;
  // Two columns of each tile of eight, and two rows of them.
  ROLLED for (u32 place = 0; place < n_of(operation) / 4; place++) {
    u32 tile = place / 2, second = place % 2, column = lane % 4 * 2 + second;
    shared_words(f.b, descriptor, (int)b_rows(operation), 8 * (first + tile) + column, bits, count_b);
    if (negates_b(operation)) flip_signs(f.b, bits, count_b);
    UNROLL for (u32 half = 0; half < 2; half++) {
      u32 word = halves ? 2 * tile + half : 4 * tile + 2 * half + second, at = 16 * second;
      u32 before = own_word(in, first_c + word), c = halves ? before >> at & 0xffff : before;
      u32 value = product_of(operation, &f, half, column, accumulates ? c : 0);
      if (halves) out[word] = second ? (out[word] & 0xffff) | value << 16 : value;
      else out[word] = value;
    }
  }
}

// One tile: its number follows the words of an operation with eight columns.
static inline INLINE void multiply_tile(u64 operation, const u32 *in, u32 *out) {
  u32 words = words_of_a(operation) + 2 + words_of_c(operation) + (is_sparse(operation) ? 3 : 1);
  multiply_tiles(operation, in, out, own_word(in, words));
}

// ---- ldmatrix, stmatrix, movmatrix

#ifdef __AMDGCN__

// The address of a row, which a lane gives.
static inline INLINE u8 *row_address(const u32 *in, u32 lane) { return zluda_amd_shared_place(word_of_lane(in, 0, lane % 32)); }

static inline INLINE int is_there(u32 mask, u32 lane) { return mask >> lane % 32 & 1; }

// Rows of threads that are not there are zeros. What lies at the beginning of the block's memory is read for them, since
// loads that depend on nothing are on their way at the same time.
static inline INLINE u32 word_in_row(const u32 *in, u32 mask, u32 lane, u32 byte, u32 bytes) {
  int there = is_there(mask, lane);
  u32 address = word_of_lane(in, 0, lane % 32) + byte;
  const void *place = zluda_amd_shared_place(there ? address : zluda_amd_own_address(0));
  u32 value;
  switch (bytes) {
  case 1: value = *(const u8 *)place; break;
  case 2: value = *(const u16 *)place; break;
  default: value = *(const u32 *)place;
  }
  return there ? value : 0;
}

// Code `index` of a row of 16.
static inline INLINE u32 code_in_row(u64 operation, const u32 *in, u32 mask, u32 lane, u32 index) {
  u32 bits = a_type(operation) == B6X16_P32 ? 6 : a_type(operation) == B4X16_P64 ? 4 : 8, at = bits * index;
  u32 low = word_in_row(in, mask, lane, at / 8, 1);
  if (bits == 8) return low;
  u32 pair = low | word_in_row(in, mask, lane, at / 8 + 1, 1) << 8;
  // 6-bit codes lie in the low bits of their bytes, 4-bit ones in bits 2 to 5.
  return bits == 6 ? pair >> at % 8 & 63 : (pair >> at % 8 & 15) << 2;
}

static inline INLINE void load(u64 operation, const u32 *in, u32 *out) {
  u32 lane = lane_of_warp(), mask = zluda_amd_ballot(1);
  UNROLL for (u32 matrix = 0; matrix < k_of(operation); matrix++) {
    if (a_type(operation) == B16 && m_of(operation) == 8 && n_of(operation) == 8) {
      u32 line = lane / 4, along = lane % 4;
      if (a_columns(operation)) {
        u32 low = word_in_row(in, mask, 8 * matrix + 2 * along, 2 * line, 2);
        out[matrix] = low | word_in_row(in, mask, 8 * matrix + 2 * along + 1, 2 * line, 2) << 16;
      } else {
        out[matrix] = word_in_row(in, mask, 8 * matrix + line, 4 * along, 4);
      }
    } else {
      // Bytes: of 8 x 16 matrices, or of 16 x 16 ones, transposed, with two registers each.
      u32 tall = m_of(operation) == 16;
      UNROLL for (u32 part = 0; part < (tall ? 2 : 1); part++) {
        u32 first = lane % 4 * 4, line = lane / 4 + 8 * part, word = 0;
        UNROLL for (u32 i = 0; i < 4; i++) {
          u32 code = tall ? code_in_row(operation, in, mask, 16 * matrix + first + i, line)
                          : code_in_row(operation, in, mask, 8 * matrix + line, first + i);
          word |= code << 8 * i;
        }
        out[tall ? 2 * matrix + part : matrix] = word;
      }
    }
  }
}

static inline INLINE void store(u64 operation, const u32 *in) {
  u32 lane = lane_of_warp(), mask = zluda_amd_ballot(1), line = lane / 4, along = lane % 4;
  UNROLL for (u32 matrix = 0; matrix < k_of(operation); matrix++) {
    u32 word = own_word(in, 1 + matrix), first = 8 * matrix;
    if (a_type(operation) == B16 && a_columns(operation)) {
      UNROLL for (u32 i = 0; i < 2; i++) {
        u32 row = first + 2 * along + i;
        u8 *to = row_address(in, row);
        if (is_there(mask, row)) *(u16 *)(to + 2 * line) = (u16)half_of(word, i);
      }
    } else {
      u8 *to = row_address(in, first + line);
      if (is_there(mask, first + line)) *(u32 *)(to + 4 * along) = word;
    }
  }
}
#else
static inline void load(u64 operation, const u32 *in, u32 *out) {}
static inline void store(u64 operation, const u32 *in) {}
#endif

static inline INLINE void transpose(const u32 *in, u32 *out) {
  u32 lane = lane_of_warp(), line = lane / 4, along = lane % 4 * 2;
  u32 low = word_of_lane(in, 0, 4 * along + line / 2), high = word_of_lane(in, 0, 4 * along + 4 + line / 2);
  out[0] = half_of(low, line) | half_of(high, line) << 16;
}

// From a thread's words to those of its result.
#define ENTRY(name, body) \
  INLINE void zluda_amd_matrix_##name(u64 operation, void *in, void *out) { body; }

ENTRY(multiply, multiply(operation, in, out))
ENTRY(doubles, multiply_doubles(operation, in, out))
ENTRY(quad_pairs, multiply_quad_pairs(operation, in, out))
ENTRY(warp_group, multiply_tiles(operation, in, out, 0))
ENTRY(tile, multiply_tile(operation, in, out))
ENTRY(load, load(operation, in, out))
ENTRY(store, store(operation, in))
ENTRY(transpose, transpose(in, out))
