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

static u32 is_flag(char byte) {
  switch (byte) {
  case '-': case '+': case ' ': case '#': case '.': case '*':
    return 1;
  default:
    return byte >= '0' && byte <= '9';
  }
}

// What follows a `%`. The same as the host's reading, or arguments would be taken for others.
static Conversion read_conversion(const char *at) {
  Conversion found = {at, 0, 0, 0};
  while (is_flag(*at)) {
    found.stars += *at == '*';
    at++;
  }
  u32 integer = 4;
  for (;; at++) {
    if (*at == 'l' || *at == 'q' || *at == 'j' || *at == 'z' || *at == 't') {
      integer = 8;
    } else if (*at != 'h' && *at != 'L') {
      break;
    }
  }
  switch (*at) {
  case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
    found.size = integer;
    break;
  case 'c':
    found.size = 4;
    break;
  case 's':
    found.size = 8;
    found.is_string = 1;
    break;
  case 'p': case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
    found.size = 8;
    break;
  default:
    // Printed as it stands, and `%%`.
    found.stars = 0;
  }
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

OUTLINE i32 print(const char *format, const u8 *arguments) NAMED("zluda.vprintf");
OUTLINE i32 print(const char *format, const u8 *arguments) {
  if (format == 0) {
    return -1;
  }
  u64 taken = 0;
  u64 strings = 0;
  i32 count = 0;
  const char *end = format;
  while (*end != 0) {
    if (*end != '%') {
      end++;
      continue;
    }
    Conversion conversion = read_conversion(end + 1);
    end = conversion.end;
    count += (i32)conversion.stars;
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
  if (!record_begin(&record, 8 + padded + strings)) {
    return -1;
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

OUTLINE void assert_fail(const char *message, const char *file, u32 line, const char *function, u64 char_size)
    NAMED("zluda.assertfail");
OUTLINE __attribute__((cold)) void assert_fail(const char *message, const char *file, u32 line, const char *function,
                                               u64 char_size) {
  Record record;
  if (record_begin(&record, 32 + length(message) + length(file) + length(function) + 3)) {
    record_u32(&record, line);
    record_u32(&record, __builtin_amdgcn_workgroup_id_x());
    record_u32(&record, __builtin_amdgcn_workgroup_id_y());
    record_u32(&record, __builtin_amdgcn_workgroup_id_z());
    record_u32(&record, __builtin_amdgcn_workitem_id_x());
    record_u32(&record, __builtin_amdgcn_workitem_id_y());
    record_u32(&record, __builtin_amdgcn_workitem_id_z());
    record_u32(&record, 0);
    record_string(&record, file);
    record_string(&record, function);
    record_string(&record, message);
    record_end(&record, RECORD_ASSERT);
  }
  stop(ERROR_ASSERT);
}
