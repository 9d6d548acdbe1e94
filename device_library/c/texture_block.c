// Texels of formats that store blocks of 4 x 4 of them, as an H100 decodes them. BC6H and BC7 are those of the "Khronos
// Data Format Specification".

#include "texture.h"

// What is left of a block.
typedef struct {
  u64 low, high;
} bit_reader;

// Fewer than 32 bits; none give 0.
static OUTLINE u32 take(bit_reader *bits, u32 count) {
  u32 value = (u32)bits->low & ((1u << count) - 1);
  bits->low = bits->low >> count | bits->high << 1 << (63 - count);
  bits->high >>= count;
  return value;
}

// ---- BC1 to BC3

static inline u32 part_of(u32 colour, u32 channel) {
  return channel == 0 ? colour >> 11 : channel == 1 ? colour >> 5 & 63 : colour & 31;
}

static inline i32 green_of(u32 colour) {
  u32 part = part_of(colour, 1);
  return (i32)(part << 2 | part >> 4);
}

static inline u32 five(u32 value) { return value << 3 | value >> 2; }

// Red, green and blue of a block of colours; returns whether there is any. Of two colours in ascending order, where that
// means something, the third is their middle and the fourth is none.
static inline int colour_of(const u8 *bytes, u32 place, int punched, u32 *rgb) {
  u32 first = bytes[0] | (u32)bytes[1] << 8, second = bytes[2] | (u32)bytes[3] << 8;
  u32 select = bytes[4 + place / 4] >> 2 * (place % 4) & 3;
  // The fourth colour is the third one of the colours the other way round.
  int swapped = select == 1 || select == 3;
  u32 near = swapped ? second : first, far = swapped ? first : second;
  int four = !punched || first > second;
  if (select < 2) {
    rgb[0] = five(part_of(near, 0)) & 255;
    rgb[1] = (u32)green_of(near) & 255;
    rgb[2] = five(part_of(near, 2)) & 255;
    return 1;
  }
  if (!four && select == 3) {
    rgb[0] = rgb[1] = rgb[2] = 0;
    return 0;
  }
  i32 step = green_of(far) - green_of(near), of_green = four ? 80 : 128;
  rgb[1] = (u32)((256 * green_of(near) + (step >> 2) + 128 + step * of_green) >> 8) & 255;
  ROLLED for (u32 channel = 0; channel < 3; channel += 2) {
    u32 x = part_of(near, channel), y = part_of(far, channel);
    rgb[channel] = (four ? (2 * x + y) * 22 / 8 : (x + y) * 33 / 8) & 255;
  }
  return 1;
}

// ---- BC3 to BC5: what is between two numbers: how much of the second one each selection takes, of seven steps where the
// first one is greater, of five and the ends of the format otherwise.

typedef struct {
  i32 seven[8], five[6];
} steps;

static const steps ALPHA_STEPS = {{0, 2048, 289, 578, 892, 1156, 1470, 1759}, {0, 2048, 385, 770, 1278, 1663}};
static const steps UNSIGNED_STEPS = {{0, 257, 36, 72, 113, 144, 185, 221}, {0, 257, 48, 96, 161, 209}};
static const steps SIGNED_STEPS = {{0, 258, 36, 72, 114, 144, 186, 222}, {0, 258, 48, 96, 162, 210}};

// The three bits of a texel in a block of one channel.
static inline u32 selected(const u8 *bytes, u32 place) {
  u64 bits = 0;
  ROLLED for (u32 at = 2; at < 8; at++) bits |= (u64)bytes[at] << 8 * (at - 2);
  return (u32)(bits >> 3 * place) & 7;
}

// The sum of both with weights of `seven[1]`; `end` and its like for the ends of the format.
static inline i32 between_of(const steps *s, i32 first, i32 second, int descending, u32 select, int *is_end) {
  *is_end = !descending && select >= 6;
  if (*is_end) return 0;
  i32 of_second = descending ? s->seven[select] : s->five[select];
  return first * (s->seven[1] - of_second) + second * of_second;
}

static inline u32 alpha_of(const u8 *bytes, u32 place) {
  u32 select = selected(bytes, place);
  int end;
  i32 sum = between_of(&ALPHA_STEPS, bytes[0], bytes[1], bytes[0] > bytes[1], select, &end);
  return end ? (select == 6 ? 0 : 255) : (u32)(sum + 1024) >> 11 & 255;
}

static OUTLINE number unsigned_of(const u8 *bytes, u32 place) {
  u32 select = selected(bytes, place);
  int end;
  i32 sum = between_of(&UNSIGNED_STEPS, bytes[0], bytes[1], bytes[0] > bytes[1], select, &end);
  return unsigned16(end ? (select == 6 ? 0 : 65535) : (u32)sum & 0xffff);
}

static inline OUTLINE number wide_of(i32 value) { return (number){SIGNED16, value, (float)value / 32767.0f}; }

static OUTLINE number signed_of(const u8 *bytes, u32 place) {
  i32 first = (i32)((u32)bytes[0] << 24) >> 24, second = (i32)((u32)bytes[1] << 24) >> 24;
  u32 select = selected(bytes, place);
  int descending = first > second, end;
  first = first < -127 ? -127 : first;
  second = second < -127 ? -127 : second;
  i32 sum = between_of(&SIGNED_STEPS, first, second, descending, select, &end);
  if (end) return wide_of(select == 6 ? -32767 : 32767);
  // 127 times 258 is one less than 32767: the farther half of numbers is moved by one, as the number is that one end is
  // nearer to.
  int of_first = select == 0 || select == 2 || select == 3 || (descending && select == 5);
  i32 nearer = of_first ? first : second;
  return wide_of(sum + (nearer >= 64 ? 1 : nearer <= -64 ? -1 : 0));
}

// ---- BC6H and BC7: which of two or three pairs of colours each texel of a block is between

// A bit a texel.
static const u16 PAIRS[64] = {
  0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00,
  0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c,
  0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8,
  0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
  0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

// Two bits a texel.
static const u32 TRIPLES[64] = {
  0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000,
  0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
  0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914,
  0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
  0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0,
  0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
  0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44,
  0x2a4a5254,
};

// The texels whose index has a bit less.
static const u8 SECOND_OF_TWO[64] = {
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
  15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};

static const u8 SECOND_OF_THREE[64] = {
  3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15, 3, 5,
  6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
};

static const u8 THIRD[64] = {
  15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
  15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
};

static inline u32 subset_of(u32 subsets, u32 partition, u32 place) {
  return subsets == 2 ? PAIRS[partition] >> place & 1 : subsets == 3 ? TRIPLES[partition] >> 2 * place & 3 : 0;
}

static inline int is_anchor(u32 subsets, u32 partition, u32 place) {
  if (place == 0) return 1;
  if (subsets == 2) return SECOND_OF_TWO[partition] == place;
  return subsets == 3 && (SECOND_OF_THREE[partition] == place || THIRD[partition] == place);
}

// How much of 64 the second colour counts for each index of so many bits.
static const u8 WEIGHTS_2[4] = {0, 21, 43, 64};
static const u8 WEIGHTS_3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
static const u8 WEIGHTS_4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

static inline i32 weighted(i32 first, i32 second, u32 bits, u32 index) {
  i32 weight = bits == 2 ? WEIGHTS_2[index & 3] : bits == 3 ? WEIGHTS_3[index & 7] : WEIGHTS_4[index & 15];
  return ((64 - weight) * first + weight * second + 32) >> 6;
}

// The index of a texel; all indices are passed.
static inline u32 index_of(bit_reader *bits, u32 count, u32 subsets, u32 partition, u32 place) {
  u32 found = 0;
  ROLLED for (u32 texel = 0; texel < 16; texel++) {
    u32 index = take(bits, count - (u32)is_anchor(subsets, partition, texel));
    found = texel == place ? index : found;
  }
  return found;
}

// ---- BC6H: halves of three channels, up to two subsets

typedef struct {
  // Of each channel of the first colour; the others are differences from it of so many bits, where there are any.
  u8 number, bits, is_different, differences[3], field_count;
  // Colours, channels, and bits of them that are stored one after the other: from the second up to the first, or down
  // to it.
  u8 fields[23][4];
} bc6h_mode;

// clang-format off
static const bc6h_mode BC6H_MODES[14] = {
    {0, 10, 1, {5, 5, 5}, 19,
     {{2, 1, 4, 4}, {2, 2, 4, 4}, {3, 2, 4, 4}, {0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 4, 0}, {3, 1, 4, 4},
      {2, 1, 3, 0}, {1, 1, 4, 0}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 4, 0}, {3, 2, 1, 1}, {2, 2, 3, 0}, {2, 0, 4, 0},
      {3, 2, 2, 2}, {3, 0, 4, 0}, {3, 2, 3, 3}}},
    {1, 7, 1, {6, 6, 6}, 23,
     {{2, 1, 5, 5}, {3, 1, 4, 4}, {3, 1, 5, 5}, {0, 0, 6, 0}, {3, 2, 0, 0}, {3, 2, 1, 1}, {2, 2, 4, 4}, {0, 1, 6, 0},
      {2, 2, 5, 5}, {3, 2, 2, 2}, {2, 1, 4, 4}, {0, 2, 6, 0}, {3, 2, 3, 3}, {3, 2, 5, 5}, {3, 2, 4, 4}, {1, 0, 5, 0},
      {2, 1, 3, 0}, {1, 1, 5, 0}, {3, 1, 3, 0}, {1, 2, 5, 0}, {2, 2, 3, 0}, {2, 0, 5, 0}, {3, 0, 5, 0}}},
    {2, 11, 1, {5, 4, 4}, 18,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 4, 0}, {0, 0, 10, 10}, {2, 1, 3, 0}, {1, 1, 3, 0},
      {0, 1, 10, 10}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 3, 0}, {0, 2, 10, 10}, {3, 2, 1, 1}, {2, 2, 3, 0},
      {2, 0, 4, 0}, {3, 2, 2, 2}, {3, 0, 4, 0}, {3, 2, 3, 3}}},
    {6, 11, 1, {4, 5, 4}, 20,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 3, 0}, {0, 0, 10, 10}, {3, 1, 4, 4}, {2, 1, 3, 0},
      {1, 1, 4, 0}, {0, 1, 10, 10}, {3, 1, 3, 0}, {1, 2, 3, 0}, {0, 2, 10, 10}, {3, 2, 1, 1}, {2, 2, 3, 0},
      {2, 0, 3, 0}, {3, 2, 0, 0}, {3, 2, 2, 2}, {3, 0, 3, 0}, {2, 1, 4, 4}, {3, 2, 3, 3}}},
    {10, 11, 1, {4, 4, 5}, 20,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 3, 0}, {0, 0, 10, 10}, {2, 2, 4, 4}, {2, 1, 3, 0},
      {1, 1, 3, 0}, {0, 1, 10, 10}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 4, 0}, {0, 2, 10, 10}, {2, 2, 3, 0},
      {2, 0, 3, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 0, 3, 0}, {3, 2, 4, 4}, {3, 2, 3, 3}}},
    {14, 9, 1, {5, 5, 5}, 19,
     {{0, 0, 8, 0}, {2, 2, 4, 4}, {0, 1, 8, 0}, {2, 1, 4, 4}, {0, 2, 8, 0}, {3, 2, 4, 4}, {1, 0, 4, 0}, {3, 1, 4, 4},
      {2, 1, 3, 0}, {1, 1, 4, 0}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 4, 0}, {3, 2, 1, 1}, {2, 2, 3, 0}, {2, 0, 4, 0},
      {3, 2, 2, 2}, {3, 0, 4, 0}, {3, 2, 3, 3}}},
    {18, 8, 1, {6, 5, 5}, 19,
     {{0, 0, 7, 0}, {3, 1, 4, 4}, {2, 2, 4, 4}, {0, 1, 7, 0}, {3, 2, 2, 2}, {2, 1, 4, 4}, {0, 2, 7, 0}, {3, 2, 3, 3},
      {3, 2, 4, 4}, {1, 0, 5, 0}, {2, 1, 3, 0}, {1, 1, 4, 0}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 4, 0}, {3, 2, 1, 1},
      {2, 2, 3, 0}, {2, 0, 5, 0}, {3, 0, 5, 0}}},
    {22, 8, 1, {5, 6, 5}, 21,
     {{0, 0, 7, 0}, {3, 2, 0, 0}, {2, 2, 4, 4}, {0, 1, 7, 0}, {2, 1, 5, 5}, {2, 1, 4, 4}, {0, 2, 7, 0}, {3, 1, 5, 5},
      {3, 2, 4, 4}, {1, 0, 4, 0}, {3, 1, 4, 4}, {2, 1, 3, 0}, {1, 1, 5, 0}, {3, 1, 3, 0}, {1, 2, 4, 0}, {3, 2, 1, 1},
      {2, 2, 3, 0}, {2, 0, 4, 0}, {3, 2, 2, 2}, {3, 0, 4, 0}, {3, 2, 3, 3}}},
    {26, 8, 1, {5, 5, 6}, 21,
     {{0, 0, 7, 0}, {3, 2, 1, 1}, {2, 2, 4, 4}, {0, 1, 7, 0}, {2, 2, 5, 5}, {2, 1, 4, 4}, {0, 2, 7, 0}, {3, 2, 5, 5},
      {3, 2, 4, 4}, {1, 0, 4, 0}, {3, 1, 4, 4}, {2, 1, 3, 0}, {1, 1, 4, 0}, {3, 2, 0, 0}, {3, 1, 3, 0}, {1, 2, 5, 0},
      {2, 2, 3, 0}, {2, 0, 4, 0}, {3, 2, 2, 2}, {3, 0, 4, 0}, {3, 2, 3, 3}}},
    {30, 6, 0, {0, 0, 0}, 23,
     {{0, 0, 5, 0}, {3, 1, 4, 4}, {3, 2, 0, 0}, {3, 2, 1, 1}, {2, 2, 4, 4}, {0, 1, 5, 0}, {2, 1, 5, 5}, {2, 2, 5, 5},
      {3, 2, 2, 2}, {2, 1, 4, 4}, {0, 2, 5, 0}, {3, 1, 5, 5}, {3, 2, 3, 3}, {3, 2, 5, 5}, {3, 2, 4, 4}, {1, 0, 5, 0},
      {2, 1, 3, 0}, {1, 1, 5, 0}, {3, 1, 3, 0}, {1, 2, 5, 0}, {2, 2, 3, 0}, {2, 0, 5, 0}, {3, 0, 5, 0}}},
    {3, 10, 0, {0, 0, 0}, 6,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 9, 0}, {1, 1, 9, 0}, {1, 2, 9, 0}}},
    {7, 11, 1, {9, 9, 9}, 9,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 8, 0}, {0, 0, 10, 10}, {1, 1, 8, 0}, {0, 1, 10, 10},
      {1, 2, 8, 0}, {0, 2, 10, 10}}},
    {11, 12, 1, {8, 8, 8}, 9,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 7, 0}, {0, 0, 10, 11}, {1, 1, 7, 0}, {0, 1, 10, 11},
      {1, 2, 7, 0}, {0, 2, 10, 11}}},
    {15, 16, 1, {4, 4, 4}, 9,
     {{0, 0, 9, 0}, {0, 1, 9, 0}, {0, 2, 9, 0}, {1, 0, 3, 0}, {0, 0, 10, 15}, {1, 1, 3, 0}, {0, 1, 10, 15},
      {1, 2, 3, 0}, {0, 2, 10, 15}}},
};
// clang-format on

static inline i32 extended(i32 value, u32 bits) { return (i32)((u32)value << (32 - bits)) >> (32 - bits); }

// To sixteen bits.
static inline i32 widened_half(i32 value, u32 bits, int is_signed) {
  i32 magnitude = value < 0 ? -value : value;
  if (is_signed ? bits >= 16 : bits >= 15) return value;
  i32 most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  i32 wide = magnitude == 0 ? 0 : magnitude >= most ? (is_signed ? 0x7fff : 0xffff) : ((magnitude << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -wide : wide;
}

// Red, green and blue, as the bits of halves. Blocks of no mode are all 0.
static OUTLINE void bc6h_texel(bit_reader bits, u32 place, int is_signed, u32 *rgb) {
  u32 number = (u32)bits.low & 3;
  if (number >= 2) number = (u32)bits.low & 31;
  const bc6h_mode *mode = 0;
  ROLLED for (u32 i = 0; i < 14; i++) mode = BC6H_MODES[i].number == number ? &BC6H_MODES[i] : mode;
  rgb[0] = rgb[1] = rgb[2] = 0;
  if (!mode) return;
  take(&bits, number < 2 ? 2 : 5);
  i32 colours[4][3] = {0};
  ROLLED for (u32 i = 0; i < mode->field_count; i++) {
    const u8 *f = mode->fields[i];
    i32 *value = &colours[f[0]][f[1]];
    u32 high = f[2], low = f[3];
    if (high >= low) {
      *value |= (i32)(take(&bits, high - low + 1) << low);
    } else {
      ROLLED for (u32 bit = low + 1; bit-- > high;) *value |= (i32)(take(&bits, 1) << bit);
    }
  }
  u32 subsets = number == 3 || number == 7 || number == 11 || number == 15 ? 1 : 2;
  u32 partition = subsets == 2 ? take(&bits, 5) : 0;
  ROLLED for (u32 channel = 0; channel < 3; channel++) {
    i32 first = colours[0][channel];
    ROLLED for (u32 colour = 1; colour < 4; colour++) {
      i32 *value = &colours[colour][channel];
      if (mode->is_different) {
        *value = (first + extended(*value, mode->differences[channel])) & ((1 << mode->bits) - 1);
      }
      if (is_signed) *value = extended(*value, mode->bits);
    }
    if (is_signed) colours[0][channel] = extended(first, mode->bits);
  }
  u32 index_bits = subsets == 2 ? 3 : 4;
  u32 index = index_of(&bits, index_bits, subsets, partition, place);
  u32 pair = 2 * subset_of(subsets, partition, place);
  ROLLED for (u32 channel = 0; channel < 3; channel++) {
    i32 near = widened_half(colours[pair][channel], mode->bits, is_signed);
    i32 far = widened_half(colours[pair + 1][channel], mode->bits, is_signed);
    i32 value = weighted(near, far, index_bits, index);
    rgb[channel] = !is_signed  ? (u32)(value * 31) >> 6 & 0xffff
                   : value < 0 ? ((u32)(-value * 31) >> 5 & 0xffff) | 0x8000
                               : (u32)(value * 31) >> 5 & 0xffff;
  }
}

// ---- BC7: eight bits a channel, up to three subsets

typedef struct {
  // Lowest bits are each colour's own, or shared by those of a subset.
  u8 subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits, own_bits, shared_bits, index_bits,
      second_index_bits;
} bc7_mode;

static const bc7_mode BC7_MODES[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

// Red, green, blue and alpha. Blocks of no mode are all 0.
static OUTLINE void bc7_texel(bit_reader bits, u32 place, u32 *rgba) {
  ROLLED for (u32 channel = 0; channel < 4; channel++) rgba[channel] = 0;
  u32 number = (u32)__builtin_ctz(((u32)bits.low & 0xff) | 0x100);
  if (number >= 8) return;
  const bc7_mode *mode = &BC7_MODES[number];
  take(&bits, number + 1);
  u32 partition = take(&bits, mode->partition_bits), rotation = take(&bits, mode->rotation_bits);
  u32 selection = take(&bits, mode->selection_bits);
  // Two colours for each subset, by channel.
  u32 colours[6][4] = {0}, lowest[6] = {0}, count = 2 * mode->subsets;
  ROLLED for (u32 channel = 0; channel < 4; channel++) {
    ROLLED for (u32 i = 0; i < count; i++) colours[i][channel] = take(&bits, channel == 3 ? mode->alpha_bits : mode->colour_bits);
  }
  if (mode->own_bits) {
    ROLLED for (u32 i = 0; i < count; i++) lowest[i] = take(&bits, 1);
  }
  if (mode->shared_bits) {
    ROLLED for (u32 i = 0; i < count; i += 2) lowest[i] = lowest[i + 1] = take(&bits, 1);
  }
  u32 with_lowest = mode->own_bits || mode->shared_bits;
  ROLLED for (u32 i = 0; i < count; i++) {
    ROLLED for (u32 channel = 0; channel < 4; channel++) {
      u32 width = channel == 3 ? mode->alpha_bits : mode->colour_bits, value = colours[i][channel];
      if (width == 0) {
        colours[i][channel] = 255;
        continue;
      }
      // To eight bits, of which the lowest ones repeat the highest.
      if (with_lowest) value = value << 1 | lowest[i];
      width += with_lowest;
      value <<= 8 - width;
      colours[i][channel] = value | value >> width;
    }
  }
  u32 first_bits = mode->index_bits, second_bits = mode->second_index_bits;
  u32 first = index_of(&bits, first_bits, mode->subsets, partition, place), second = first;
  if (second_bits == 0) second_bits = first_bits;
  else second = index_of(&bits, second_bits, 1, 0, place);
  u32 pair = 2 * subset_of(mode->subsets, partition, place);
  ROLLED for (u32 channel = 0; channel < 4; channel++) {
    int is_second = (channel == 3) != (selection == 1);
    i32 near = (i32)colours[pair][channel], far = (i32)colours[pair + 1][channel];
    rgba[channel] = (u32)weighted(near, far, is_second ? second_bits : first_bits, is_second ? second : first) & 255;
  }
  if (rotation != 0) {
    u32 alpha = rgba[3];
    rgba[3] = rgba[rotation - 1];
    rgba[rotation - 1] = alpha;
  }
}

static inline void put_colours(const u32 *rgb, u32 encoded, texel *to) {
  ROLLED for (u32 channel = 0; channel < 3; channel++) {
    to->channels[channel] = encoded ? texture_srgb(rgb[channel]) : unsigned8(rgb[channel]);
  }
}

static inline bit_reader whole(const u8 *bytes) {
  bit_reader block = {0, 0};
  ROLLED for (u32 i = 8; i-- > 0;) {
    block.low = block.low << 8 | bytes[i];
    block.high = block.high << 8 | bytes[8 + i];
  }
  return block;
}

OUTLINE void texture_block(u32 block, const u8 *bytes, u32 place, u32 encoded, texel *to) {
  u32 colours[4];
  switch (block) {
  case BC1: {
    int opaque = colour_of(bytes, place, 1, colours);
    put_colours(colours, encoded, to);
    to->channels[3] = unsigned8(opaque ? 255 : 0);
    return;
  }
  case BC2:
    colour_of(bytes + 8, place, 0, colours);
    put_colours(colours, encoded, to);
    to->channels[3] = unsigned8((u32)(bytes[place / 2] >> 4 * (place % 2) & 15) * 17);
    return;
  case BC3:
    colour_of(bytes + 8, place, 0, colours);
    put_colours(colours, encoded, to);
    to->channels[3] = unsigned8(alpha_of(bytes, place));
    return;
  case BC6H:
  case SIGNED_BC6H:
    bc6h_texel(whole(bytes), place, block == SIGNED_BC6H, colours);
    ROLLED for (u32 channel = 0; channel < 3; channel++) {
      to->channels[channel] = (number){HALF, 0, half_to_float(colours[channel])};
    }
    to->channels[3] = (number){HALF, 0, 0.0f};
    return;
  case BC7:
    bc7_texel(whole(bytes), place, colours);
    put_colours(colours, encoded, to);
    to->channels[3] = unsigned8(colours[3]);
    return;
  case BC4:
  case BC5:
    to->channels[0] = unsigned_of(bytes, place);
    to->channels[1] = block == BC5 ? unsigned_of(bytes + 8, place) : unsigned8(0);
    to->channels[2] = to->channels[3] = unsigned8(0);
    return;
  default:
    to->channels[0] = signed_of(bytes, place);
    to->channels[1] = block == SIGNED_BC5 ? signed_of(bytes + 8, place) : wide_of(0);
    to->channels[2] = to->channels[3] = wide_of(0);
    return;
  }
}
