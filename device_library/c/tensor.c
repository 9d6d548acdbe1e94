// Copies between boxes of tensors in global memory and shared memory: `simt_abi::tensor_map` says what the words of a map
// are.
//
// Measured on an H100: rows of a swizzled box are as far apart as its pattern is wide, and the pattern moves the 16-byte
// pieces of each 128 bytes by the bits of their address above those. What goes out is cut off at the end of 16 bytes, not of
// the tensor's row; there negative coordinates, which the GPU takes for illegal, are outside like any others.

#include "reduction.h"

#define RANK 5

enum element { E_U8, E_U16, E_U32, E_S32, E_U64, E_S64, E_F16, E_F32, E_F32_FTZ, E_F64, E_BF16, E_TF32, E_TF32_FTZ };

enum tensor_mode { TILE, ROWS4 };

enum tensor_reduction { T_ADD, T_MIN, T_MAX, T_INC, T_DEC, T_AND, T_OR, T_XOR };

enum tensor_field {
  GLOBAL_ADDRESS, RANK_LESS_ONE, BOX_DIM, GLOBAL_DIM, GLOBAL_STRIDE, ELEMENT_STRIDE, ELEMENT_TYPE, INTERLEAVE_LAYOUT,
  SWIZZLE_MODE, SWIZZLE_ATOMICITY, FILL_MODE,
};

static inline u64 field(const u64 *words, u32 word, u32 shift, u32 bits) {
  return words[word] >> shift & (~0ul >> (64 - bits));
}

static inline void set_field(u64 *words, u32 word, u32 shift, u32 bits, u64 value) {
  u64 mask = ~0ul >> (64 - bits);
  words[word] = (words[word] & ~(mask << shift)) | (value & mask) << shift;
}

static inline u32 rank_of(const u64 *map) { return (u32)field(map, 1, 4, 3) + 1; }

static inline u64 dim_of(const u64 *map, u32 i) { return field(map, 4 + i / 2, i % 2 * 32, 32) + 1; }

static inline u64 stride_of(const u64 *map, u32 i) {
  return (field(map, 3, 32 + 4 * i, 4) << 32 | field(map, (i + 3) / 2, (i + 1) % 2 * 32, 32)) * 16;
}

static inline u32 step_of(const u64 *map, u32 i) { return (u32)field(map, 6, 32 + 3 * i, 3) + 1; }

static inline u32 box_of(const u64 *map, u32 i) {
  return (i == 0 ? (u32)field(map, 6, 56, 8) : (u32)field(map, 7, 8 * (i - 1), 8)) + 1;
}

static inline u32 swizzle_of(const u64 *map) { return (u32)field(map, 1, 13, 2); }

static inline u32 element_of(const u64 *map) {
  u32 element = (u32)field(map, 1, 7, 4);
  if (field(map, 1, 16, 1)) element = element == E_F32 ? E_TF32 : element == E_F32_FTZ ? E_TF32_FTZ : element;
  return element;
}

// The logarithm of an element's bytes.
static inline u32 shift_of(u32 element) {
  switch (element) {
  case E_U8: return 0;
  case E_U16: case E_F16: case E_BF16: return 1;
  case E_U64: case E_S64: case E_F64: return 3;
  default: return 2;
  }
}

static inline u64 size_of(u32 element) { return 1ul << shift_of(element); }

static inline int is_im2col(const u64 *map) { return (int)field(map, 1, 0, 1); }

// Whether the words make sense.
static inline int is_map(const u64 *map) {
  u32 rank = rank_of(map);
  return rank <= RANK && field(map, 1, 7, 4) <= E_BF16 && field(map, 1, 11, 2) < 3 && (!is_im2col(map) || rank >= 3);
}

// A corner of the box in which the first pixel of a window moves: the lower ones come first.
static inline i32 corner_of(const u64 *map, u32 index) {
  u32 space = rank_of(map) - 2, width = space == 1 ? 16 : space == 2 ? 8 : 5;
  return (i32)((u32)field(map, 7, 0, 32) >> width * index << (32 - width)) >> (32 - width);
}

// The nearest number with ten digits behind the first, of ties the even one.
static inline u32 tf32(u32 bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  return (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
}

// The words of a map. A processor keeps what it knows of them through the copy, as it may not of memory that others see: a
// tenth of a swizzled box's time.
#define WORDS 16
#if ON_CPU
#define READ_MAP(words, address) u64 words[WORDS]; __builtin_memcpy(words, (const void *)(address), sizeof words)
#else
#define READ_MAP(words, address) const u64 *words = (const u64 *)(address)
#endif

// What a copy does with pieces of bytes.
typedef struct {
  enum { COPY_IN, COPY_OUT, REDUCE } action;
  u32 reduction;
  u64 shared;
} transfer;

// The bytes that a swizzled box has side by side, and the ends of which copies out go to.
#define PIECE 16

static OUTLINE void piece(const u64 *map, const transfer *t, u64 place, u64 there, u64 bytes, int inside) {
  if (t->action != COPY_IN) {
    if (!inside) return;
    if (t->action == REDUCE) zluda_lane_reduce(there, place, bytes, t->reduction);
    else zluda_lane_copy(there, place, bytes);
    return;
  }
  if (inside) {
    zluda_lane_copy(place, there, bytes);
    if (element_of(map) >= E_TF32) {
      for (u64 at = place; at < place + bytes; at += 4) *(u32 *)at = tf32(*(u32 *)at);
    }
    return;
  }
  // The NaN that multiply-adds of matrix instructions can be told to take for zero.
  int nan = (int)field(map, 1, 15, 1);
  for (u64 i = 0; i < bytes; i++) *(u8 *)(place + i) = nan ? (i % 2 ? 0x7f : 0xf7) : 0;
}

// Bytes that lie side by side in the tensor, and in the box but for its pattern.
static inline void run(const u64 *map, const transfer *t, u64 place, u64 there, u64 bytes, int inside) {
  u32 swizzle = swizzle_of(map);
  if (swizzle == 0) return piece(map, t, place, there, bytes, inside);
  u64 pattern = (1ul << swizzle) - 1;
  while (bytes > 0) {
    u64 count = PIECE - place % PIECE;
    count = count < bytes ? count : bytes;
    piece(map, t, place ^ (place >> 7 & pattern) << 4, there, count, inside);
    place += count;
    there += count;
    bytes -= count;
  }
}

// A row of the box, of `elements`, which begins at the places `at` of the tensor.
static OUTLINE void row(const u64 *map, const transfer *t, const i64 *at, u64 index, u64 elements) {
  u32 shift = shift_of(element_of(map)), swizzle = swizzle_of(map);
  u64 address = map[0] + ((u64)at[0] << shift);
  int inside_others = 1;
  for (u32 i = 1; i < rank_of(map); i++) {
    address += (u64)at[i] * stride_of(map, i - 1);
    inside_others &= (u64)at[i] < dim_of(map, i);
  }
  // Copies out write up to the end of 16 bytes.
  u64 width = dim_of(map, 0), round = PIECE >> shift;
  if (t->action != COPY_IN) width = (width + round - 1) & -round;
  u64 in_box = index * (swizzle == 0 ? elements << shift : 16ul << swizzle);
  for (u64 element = 0; element < elements;) {
    i64 number = at[0] + (i64)element;
    int inside = inside_others && (u64)number < width;
    u64 place = t->shared + in_box + (element << shift);
    // Up to where the tensor or the row changes.
    u64 count = elements - element, most = number < 0 ? -(u64)number : inside ? width - (u64)number : count;
    if (count > most) count = most;
    run(map, t, place, address + (element << shift), count << shift, inside);
    element += count;
  }
}

// Does with each row of the box what the transfer says; returns how many bytes that is. `rows4` means a matrix, of which
// the places name a column and four rows.
static OUTLINE u64 each_row(const u64 *map, const i32 *places, int rows4, const transfer *t) {
  u32 rank = rank_of(map);
  u64 elements = box_of(map, 0), size = size_of(element_of(map));
  i64 at[RANK];
  if (is_im2col(map)) {
    u64 pixels = field(map, 7, 32, 16) + 1;
    u32 space = rank - 2;
    i64 pixel[RANK], offset[RANK], first[RANK], end[RANK];
    for (u32 i = 0; i < RANK; i++) {
      int in_space = i >= 1 && i <= space;
      pixel[i] = places[i];
      offset[i] = in_space ? places[RANK + i - 1] : 0;
      first[i] = in_space ? corner_of(map, i - 1) : 0;
      end[i] = in_space ? (i64)dim_of(map, i) + corner_of(map, space + i - 1) : 0;
    }
    for (u64 index = 0; index < pixels; index++) {
      for (u32 i = 0; i < RANK; i++) at[i] = pixel[i] + offset[i];
      row(map, t, at, index, elements);
      // The next place of the window: to the next line, image after image, at the box's end.
      int carry = 1;
      for (u32 i = 1; i <= space && carry; i++) {
        pixel[i] += step_of(map, i);
        if (pixel[i] < end[i]) carry = 0;
        else pixel[i] = first[i];
      }
      if (carry) pixel[rank - 1] += 1;
    }
    return pixels * elements * size;
  }
  if (rows4) {
    for (u64 index = 0; index < 4; index++) {
      for (u32 i = 0; i < RANK; i++) at[i] = 0;
      at[0] = places[0];
      at[1] = places[index + 1];
      row(map, t, at, index, elements);
    }
    return 4 * elements * size;
  }
  // The step along rows has a meaning in interleaved layouts only.
  u32 number[RANK];
  for (u32 i = 0; i < RANK; i++) {
    at[i] = places[i];
    number[i] = 0;
  }
  u64 rows = 0;
  for (int carry = 0; !carry;) {
    row(map, t, at, rows++, elements);
    carry = 1;
    for (u32 i = 1; i < rank && carry; i++) {
      at[i] += step_of(map, i);
      number[i] += step_of(map, i);
      if (number[i] < box_of(map, i)) {
        carry = 0;
      } else {
        at[i] = places[i];
        number[i] = 0;
      }
    }
  }
  return rows * elements * size;
}

static OUTLINE void load_box(const u64 *map, const i32 *places, int rows4, u64 to, u64 barrier) {
  transfer t = {COPY_IN, 0, to};
  zluda_lane_mbarrier_complete_tx(barrier, each_row(map, places, rows4, &t));
}

u64 zluda_lane_tensor_load(u64 to, u64 map, u64 places, u64 mode, u64 barrier, u64 mask) {
  READ_MAP(words, map);
  if (!is_map(words)) return 0;
  int rows4 = mode == ROWS4 && !is_im2col(words);
  if (mask == 0) {
    load_box(words, (const i32 *)places, rows4, to, barrier);
    return 0;
  }
  for (u32 rank = 0; rank < cluster_blocks_here(); rank++) {
    if ((mask >> rank & 1) == 0) continue;
    load_box(words, (const i32 *)places, rows4, cluster_place_in(to, rank), cluster_place_in(barrier, rank));
  }
  return 0;
}

u64 zluda_lane_tensor_store(u64 from, u64 map, u64 places, u64 mode) {
  READ_MAP(words, map);
  if (!is_map(words)) return 0;
  transfer t = {COPY_OUT, 0, from};
  each_row(words, (const i32 *)places, mode == ROWS4 && !is_im2col(words), &t);
  return 0;
}

// An operation that the type does not have is none.
static i32 element_reduction(u32 element, u32 operation) {
  int wide = element == E_U64 || element == E_S64, word = element == E_U32 || element == E_S32;
  switch (operation) {
  case T_ADD:
    if (word) return ADD_U32;
    if (wide) return ADD_U64;
    switch (element) {
    case E_F16: return ADD_F16;
    case E_BF16: return ADD_BF16;
    case E_F32: case E_TF32: return ADD_F32;
    case E_F32_FTZ: case E_TF32_FTZ: return ADD_FTZ_F32;
    case E_F64: return ADD_F64;
    default: return -1;
    }
  case T_MIN:
  case T_MAX: {
    int max = operation == T_MAX;
    switch (element) {
    case E_U32: return max ? MAX_U32 : MIN_U32;
    case E_S32: return max ? MAX_S32 : MIN_S32;
    case E_U64: return max ? MAX_U64 : MIN_U64;
    case E_S64: return max ? MAX_S64 : MIN_S64;
    case E_F16: return max ? MAX_F16 : MIN_F16;
    case E_BF16: return max ? MAX_BF16 : MIN_BF16;
    default: return -1;
    }
  }
  case T_INC: return word ? INC_U32 : -1;
  case T_DEC: return word ? DEC_U32 : -1;
  case T_AND: return word ? AND32 : wide ? AND64 : -1;
  case T_OR: return word ? OR32 : wide ? OR64 : -1;
  default: return word ? XOR32 : wide ? XOR64 : -1;
  }
}

u64 zluda_lane_tensor_reduce(u64 from, u64 map, u64 places, u64 mode, u64 operation) {
  READ_MAP(words, map);
  if (!is_map(words)) return 0;
  i32 reduction = element_reduction(element_of(words), (u32)operation);
  if (reduction < 0) return 0;
  transfer t = {REDUCE, (u32)reduction, from};
  each_row(words, (const i32 *)places, 0, &t);
  return 0;
}

// What is for those who look at a map: the bytes of a copy, and the alignment of what it is copied to.
static void describe(u64 *map) {
  u64 bytes = size_of(element_of(map));
  if (is_im2col(map)) {
    bytes *= box_of(map, 0) * (field(map, 7, 32, 16) + 1);
  } else {
    for (u32 i = 0; i < rank_of(map); i++) bytes *= box_of(map, i) / step_of(map, i);
  }
  map[8] = bytes;
  map[9] = swizzle_of(map) == 0 ? 16 : 128ul << swizzle_of(map);
}

// Numbers of types in the order of CUDA's, as bits of a map.
static u32 element_bits(u32 number, int *tf32) {
  *tf32 = number == 11 || number == 12;
  switch (number) {
  case 8: return E_F64;
  case 9: return E_BF16;
  case 10: case 12: return E_F32_FTZ;
  case 11: return E_F32;
  default: return number;
  }
}

u64 zluda_lane_tensor_replace(u64 address, u64 what, u64 ordinal, u64 value) {
  u64 *map = (u64 *)address;
  if (!is_map(map)) return 0;
  u32 index = (u32)ordinal, rank = rank_of(map);
  int known = ordinal < RANK && index < rank;
  switch (what) {
  case GLOBAL_ADDRESS: map[0] = value; break;
  case RANK_LESS_ONE: set_field(map, 1, 4, 3, value < RANK ? value : RANK - 1); break;
  case BOX_DIM:
    if (!is_im2col(map) && known) {
      if (index == 0) set_field(map, 6, 56, 8, value - 1);
      else set_field(map, 7, 8 * (index - 1), 8, value - 1);
    }
    break;
  case GLOBAL_DIM:
    if (known) set_field(map, 4 + index / 2, index % 2 * 32, 32, value - 1);
    break;
  case GLOBAL_STRIDE:
    if (ordinal < RANK - 1 && index + 1 < rank) {
      set_field(map, (index + 3) / 2, (index + 1) % 2 * 32, 32, value / 16);
      set_field(map, 3, 32 + 4 * index, 4, value / 16 >> 32);
    }
    break;
  case ELEMENT_STRIDE:
    if (known) set_field(map, 6, 32 + 3 * index, 3, value - 1);
    break;
  case ELEMENT_TYPE:
    if (value <= 12) {
      int tf32;
      set_field(map, 1, 7, 4, element_bits((u32)value, &tf32));
      set_field(map, 1, 16, 1, (u64)tf32);
    }
    break;
  case INTERLEAVE_LAYOUT:
    if (value < 3) set_field(map, 1, 11, 2, value);
    break;
  case SWIZZLE_MODE: set_field(map, 1, 13, 2, value); break;
  case FILL_MODE: set_field(map, 1, 15, 1, value); break;
  default: break;
  }
  describe(map);
  return 0;
}
