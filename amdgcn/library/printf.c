// `vprintf` and `__assertfail`: records, which the host formats. Strings are copied, for the host cannot read memory of
// the GPU.

#include "services.h"


typedef struct Conversion {
  // One past its last byte.
  const char *end;
  // Bytes of the argument itself; 0 where it takes none.
  u32 size;
  u32 is_string;
  // Widths and precisions that are arguments, 4 bytes each.
  u32 stars;
} Conversion;

// What a byte is in a conversion, for those from 32 to 127.
enum meaning { OTHER, FLAG, STAR, LONG, SHORT, INTEGER, CHARACTER, STRING, WIDE };

static const u8 MEANINGS[96] = {
  [' ' - 32] = FLAG, ['#' - 32] = FLAG, ['+' - 32] = FLAG, ['-' - 32] = FLAG, ['.' - 32] = FLAG,
  ['0' - 32] = FLAG, ['1' - 32] = FLAG, ['2' - 32] = FLAG, ['3' - 32] = FLAG, ['4' - 32] = FLAG,
  ['5' - 32] = FLAG, ['6' - 32] = FLAG, ['7' - 32] = FLAG, ['8' - 32] = FLAG, ['9' - 32] = FLAG,
  ['*' - 32] = STAR,
  ['l' - 32] = LONG, ['q' - 32] = LONG, ['j' - 32] = LONG, ['z' - 32] = LONG, ['t' - 32] = LONG,
  ['h' - 32] = SHORT, ['L' - 32] = SHORT,
  ['d' - 32] = INTEGER, ['i' - 32] = INTEGER, ['u' - 32] = INTEGER, ['o' - 32] = INTEGER, ['x' - 32] = INTEGER,
  ['X' - 32] = INTEGER,
  ['c' - 32] = CHARACTER, ['s' - 32] = STRING,
  ['p' - 32] = WIDE, ['a' - 32] = WIDE, ['A' - 32] = WIDE, ['e' - 32] = WIDE, ['E' - 32] = WIDE, ['f' - 32] = WIDE,
  ['F' - 32] = WIDE, ['g' - 32] = WIDE, ['G' - 32] = WIDE,
};

static inline u32 meaning_of(char byte) {
  u32 place = (u32)(u8)byte - 32;
  return place < 96 ? MEANINGS[place] : OTHER;
}

// What follows a `%`. The same as the host's reading, or arguments would be taken for others.
static OUTLINE Conversion read_conversion(const char *at) {
  Conversion found = {at, 0, 0, 0};
  u32 meaning = meaning_of(*at), integer = 4;
  while (meaning == FLAG || meaning == STAR) {
    found.stars += meaning == STAR;
    meaning = meaning_of(*++at);
  }
  while (meaning == LONG || meaning == SHORT) {
    if (meaning == LONG) integer = 8;
    meaning = meaning_of(*++at);
  }
  // Others are printed as they stand, as `%%` is.
  if (meaning < INTEGER) found.stars = 0;
  else found.size = meaning == INTEGER ? integer : meaning == CHARACTER ? 4 : 8;
  found.is_string = meaning == STRING;
  found.end = *at == 0 ? at : at + 1;
  return found;
}

static u64 length(const char *text) {
  u64 bytes = 0;
  if (text != 0) {
    while (text[bytes] != 0) {
      bytes++;
    }
  }
  return bytes;
}

static const char *string_at(const u8 *arguments, u64 offset) { return *(const char *const *)(arguments + offset); }

static void record_string(Record *record, const char *text) {
  if (text != 0) {
    for (; *text != 0; text++) {
      record_byte(record, (u8)*text);
    }
  }
  record_byte(record, 0);
}

OUTLINE u32 zluda_vprintf(void *text, void *buffer) {
  const char *format = text;
  const u8 *arguments = buffer;
  if (format == 0) {
    return ~0u;
  }
  u64 taken = 0;
  u64 strings = 0;
  u32 count = 0;
  const char *end = format;
  while (*end != 0) {
    if (*end != '%') {
      end++;
      continue;
    }
    Conversion conversion = read_conversion(end + 1);
    end = conversion.end;
    count += conversion.stars;
    for (u32 i = 0; i < conversion.stars; i++) {
      taken = (taken + 3) / 4 * 4 + 4;
    }
    if (conversion.size != 0) {
      count++;
      taken = (taken + conversion.size - 1) / conversion.size * conversion.size;
      if (conversion.is_string) {
        strings += length(string_at(arguments, taken)) + 1;
      }
      taken += conversion.size;
    }
  }
  u64 format_bytes = (u64)(end - format);
  u64 padded = (format_bytes + 7) / 8 * 8 + (taken + 7) / 8 * 8;
  Record record;
  if (!zluda_amd_record_begin(&record, 8 + padded + strings)) {
    return ~0u;
  }
  record_u32(&record, (u32)format_bytes);
  record_u32(&record, (u32)taken);
  for (u64 i = 0; i < format_bytes; i++) {
    record_byte(&record, (u8)format[i]);
  }
  record_pad(&record);
  for (u64 i = 0; i < taken; i++) {
    record_byte(&record, arguments[i]);
  }
  record_pad(&record);
  if (strings != 0) {
    u64 offset = 0;
    for (const char *at = format; at != end;) {
      if (*at != '%') {
        at++;
        continue;
      }
      Conversion conversion = read_conversion(at + 1);
      at = conversion.end;
      for (u32 i = 0; i < conversion.stars; i++) {
        offset = (offset + 3) / 4 * 4 + 4;
      }
      if (conversion.size != 0) {
        offset = (offset + conversion.size - 1) / conversion.size * conversion.size;
        if (conversion.is_string) {
          record_string(&record, string_at(arguments, offset));
        }
        offset += conversion.size;
      }
    }
  }
  record_end(&record, RECORD_PRINTF);
  return count;
}

OUTLINE __attribute__((cold)) void zluda_assertfail(void *message, void *file, u32 line, void *function, u64 char_size) {
  Record record;
  if (zluda_amd_record_begin(&record, 32 + length(message) + length(file) + length(function) + 3)) {
    record_u32(&record, line);
    record_u32(&record, zluda_ctaid_x());
    record_u32(&record, zluda_ctaid_y());
    record_u32(&record, zluda_ctaid_z());
    record_u32(&record, __builtin_amdgcn_workitem_id_x());
    record_u32(&record, __builtin_amdgcn_workitem_id_y());
    record_u32(&record, __builtin_amdgcn_workitem_id_z());
    record_u32(&record, 0);
    record_string(&record, file);
    record_string(&record, function);
    record_string(&record, message);
    record_end(&record, RECORD_ASSERT);
  }
  zluda_amd_stop(ERROR_ASSERT);
}
