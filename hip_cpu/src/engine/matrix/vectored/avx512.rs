//! Vectors of 512 bits: AVX-512 F, BW, DQ and VL; with `BYTES` also VNNI.

use std::arch::x86_64::*;

use super::super::Row;
use super::vector::{GROUP, Vectors};

/// Proof that the processor has the instructions.
#[derive(Clone, Copy)]
pub struct Avx512<const BYTES: bool>(());

impl<const BYTES: bool> Avx512<BYTES> {
    /// # Safety
    /// The processor has AVX-512 F, BW, DQ and VL, and with `BYTES` AVX-512 VNNI.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

const LENGTH: usize = 16;

/// Where the words of [`Vectors::columns`] come from.
const COLUMNS: Row = {
    let mut places = [0; 32];
    let mut to = 0;
    while to < 32 {
        let (t, s, p) = (to / 8, to / 4 % 2, to % 4);
        places[to] = (4 * (2 * p + s) + t) as u32;
        to += 1;
    }
    places
};

/// Words with even numbers of two vectors, then those with odd ones.
const EVEN_ODD: Row = {
    let mut places = [0; 32];
    let mut to = 0;
    while to < 32 {
        places[to] = (to % 16 * 2 + to / 16) as u32;
        to += 1;
    }
    places
};

instructions! {
    impl<const BYTES: bool> Vectors for Avx512<BYTES>, of __m512i, LENGTH, 2 - BYTES as usize, BYTES;

    fn load(self, row: &Row, piece: usize) -> __m512i {
        _mm512_loadu_si512(row[piece * LENGTH..][..LENGTH].as_ptr().cast())
    }
    fn store(self, row: &mut Row, piece: usize, words: __m512i) -> () {
        _mm512_storeu_si512(row[piece * LENGTH..][..LENGTH].as_mut_ptr().cast(), words)
    }
    fn load_group(self, row: &Row, group: usize) -> __m512i {
        let group = row[group * GROUP..][..GROUP].as_ptr();
        _mm512_broadcast_i32x4(_mm_loadu_si128(group.cast()))
    }
    fn load_halves(self, row: &Row, piece: usize) -> [__m512i; 2] {
        let words = row[piece * LENGTH..][..LENGTH].as_ptr().cast();
        let first = _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(words)));
        let second = _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(words.add(1))));
        [
            _mm512_permutex2var_epi32(first, self.load(&EVEN_ODD, 0), second),
            _mm512_permutex2var_epi32(first, self.load(&EVEN_ODD, 1), second),
        ]
    }
    fn load_halves_in_order(self, row: &Row, piece: usize) -> [__m512i; 2] {
        // Two groups each.
        let words = row[piece * LENGTH..][..LENGTH].as_ptr().cast();
        let first = _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(words)));
        let second = _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256(words.add(1))));
        [
            _mm512_shuffle_i32x4::<0x88>(first, second),
            _mm512_shuffle_i32x4::<0xdd>(first, second),
        ]
    }
    fn columns(self, row: &Row) -> Row {
        let first = self.load(row, 0);
        let second = self.load(row, 1);
        let mut columns = [0; 32];
        let low = _mm512_permutex2var_epi32(first, self.load(&COLUMNS, 0), second);
        let high = _mm512_permutex2var_epi32(first, self.load(&COLUMNS, 1), second);
        self.store(&mut columns, 0, low);
        self.store(&mut columns, 1, high);
        columns
    }
    fn spread(self, words: __m512i) -> [__m512i; GROUP] {
        [
            _mm512_shuffle_epi32::<0x00>(words),
            _mm512_shuffle_epi32::<0x55>(words),
            _mm512_shuffle_epi32::<0xaa>(words),
            _mm512_shuffle_epi32::<0xff>(words),
        ]
    }
    fn splat(self, word: u32) -> __m512i {
        _mm512_set1_epi32(word as i32)
    }

    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_and_si512(a, b)
    }
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_xor_si512(a, b)
    }
    fn shift_left(self, a: __m512i, count: u32) -> __m512i {
        _mm512_sll_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn shift_right(self, a: __m512i, count: u32) -> __m512i {
        _mm512_srl_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn shift_signed(self, a: __m512i, count: u32) -> __m512i {
        _mm512_sra_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi32(a, b)
    }
    fn subtract(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_sub_epi32(a, b)
    }
    fn most_signed(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_max_epi32(a, b)
    }
    fn least(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_min_epu32(a, b)
    }
    fn if_equal(self, a: __m512i, b: __m512i, then: __m512i, otherwise: __m512i) -> __m512i {
        _mm512_mask_mov_epi32(otherwise, _mm512_cmpeq_epi32_mask(a, b), then)
    }
    fn any_above(self, words: __m512i, most: u32) -> bool {
        _mm512_cmpgt_epu32_mask(words, self.splat(most)) != 0
    }

    fn shift_halves_right(self, a: __m512i, count: u32) -> __m512i {
        _mm512_srl_epi16(a, _mm_cvtsi32_si128(count as i32))
    }
    fn add_halves(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi16(a, b)
    }
    fn most_halves(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_max_epi16(a, b)
    }
    fn if_halves_equal(
        self,
        a: __m512i,
        b: __m512i,
        then: __m512i,
        otherwise: __m512i
    ) -> __m512i {
        _mm512_mask_mov_epi16(otherwise, _mm512_cmpeq_epi16_mask(a, b), then)
    }

    fn multiply(self, a: __m512i, b: __m512i) -> __m512i {
        _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
    }
    fn cut(self, floats: __m512i) -> __m512i {
        _mm512_cvttps_epi32(_mm512_castsi512_ps(floats))
    }
    fn sum_to_float(self, a: __m512i, b: __m512i, odd: bool) -> __m512i {
        // The magnitude has 32 bits; where the sum has wrapped, its sign is the other one.
        let sum = _mm512_add_epi32(a, b);
        let wrapped = _mm512_and_si512(_mm512_xor_si512(a, sum), _mm512_xor_si512(b, sum));
        let negative = _mm512_srai_epi32::<31>(_mm512_xor_si512(sum, wrapped));
        let magnitude = _mm512_sub_epi32(_mm512_xor_si512(sum, negative), negative);
        const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        let float = _mm512_cvt_roundepu32_ps::<CUT>(magnitude);
        let mut bits = _mm512_castps_si512(float);
        if odd {
            let inexact = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epu32(float), magnitude);
            bits = _mm512_mask_or_epi32(bits, inexact, bits, self.splat(1));
        }
        let sign = _mm512_and_si512(negative, self.splat(1 << 31));
        _mm512_or_si512(bits, sign)
    }
    fn to_halves(self, low: __m512i, high: __m512i) -> __m512i {
        let low = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm512_castsi512_ps(low));
        let high = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm512_castsi512_ps(high));
        let high = self.shift_left(_mm512_cvtepu16_epi32(high), 16);
        _mm512_or_si512(_mm512_cvtepu16_epi32(low), high)
    }

    fn parts(self, words: __m512i, signed: bool) -> [__m512i; 2] {
        if BYTES {
            return [words; 2];
        }
        if signed {
            [_mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(words)), _mm512_srai_epi16::<8>(words)]
        } else {
            [self.and(words, self.splat(0x00ff_00ff)), _mm512_srli_epi16::<8>(words)]
        }
    }
    fn dot(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        if BYTES {
            _mm512_dpbusd_epi32(sum, a, b)
        } else {
            _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
        }
    }
}
