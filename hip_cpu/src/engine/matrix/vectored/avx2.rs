//! Vectors of 256 bits: AVX2, FMA, F16C; with `BYTES` also AVX-VNNI.

use std::arch::x86_64::*;

use super::super::Row;
use super::vector::{GROUP, Vectors};

/// Proof that the processor has the instructions.
#[derive(Clone, Copy)]
pub struct Avx2<const BYTES: bool>(());

impl<const BYTES: bool> Avx2<BYTES> {
    /// # Safety
    /// The processor has AVX2, FMA and F16C, and with `BYTES` AVX-VNNI.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

const LENGTH: usize = 8;

instructions! {
    impl<const BYTES: bool> Vectors for Avx2<BYTES>, of __m256i, LENGTH, 2 - BYTES as usize, BYTES;

    fn load(self, row: &Row, piece: usize) -> __m256i {
        _mm256_loadu_si256(row[piece * LENGTH..][..LENGTH].as_ptr().cast())
    }
    fn store(self, row: &mut Row, piece: usize, words: __m256i) -> () {
        _mm256_storeu_si256(row[piece * LENGTH..][..LENGTH].as_mut_ptr().cast(), words)
    }
    fn load_group(self, row: &Row, group: usize) -> __m256i {
        let group = row[group * GROUP..][..GROUP].as_ptr();
        _mm256_broadcastsi128_si256(_mm_loadu_si128(group.cast()))
    }
    fn load_halves(self, row: &Row, piece: usize) -> [__m256i; 2] {
        let [low, high] = self.load_halves_in_order(row, piece);
        let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
        [
            _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(low, high)),
            _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(low, high)),
        ]
    }
    fn load_halves_in_order(self, row: &Row, piece: usize) -> [__m256i; 2] {
        // A group each.
        let words = row[piece * LENGTH..][..LENGTH].as_ptr().cast();
        let first = _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128(words)));
        let second = _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128(words.add(1))));
        [
            _mm256_permute2x128_si256::<0x20>(first, second),
            _mm256_permute2x128_si256::<0x31>(first, second),
        ]
    }
    fn columns(self, row: &Row) -> Row {
        // Two columns each, so that 4 x 4 words are transposed in both halves.
        let first = self.load(row, 0);
        let second = self.load(row, 1);
        let third = self.load(row, 2);
        let fourth = self.load(row, 3);
        let low = _mm256_unpacklo_epi32(first, second);
        let high = _mm256_unpackhi_epi32(first, second);
        let low_after = _mm256_unpacklo_epi32(third, fourth);
        let high_after = _mm256_unpackhi_epi32(third, fourth);
        let mut columns = [0; 32];
        self.store(&mut columns, 0, _mm256_unpacklo_epi64(low, low_after));
        self.store(&mut columns, 1, _mm256_unpackhi_epi64(low, low_after));
        self.store(&mut columns, 2, _mm256_unpacklo_epi64(high, high_after));
        self.store(&mut columns, 3, _mm256_unpackhi_epi64(high, high_after));
        columns
    }
    fn spread(self, words: __m256i) -> [__m256i; GROUP] {
        [
            _mm256_shuffle_epi32::<0x00>(words),
            _mm256_shuffle_epi32::<0x55>(words),
            _mm256_shuffle_epi32::<0xaa>(words),
            _mm256_shuffle_epi32::<0xff>(words),
        ]
    }
    fn splat(self, word: u32) -> __m256i {
        _mm256_set1_epi32(word as i32)
    }

    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_and_si256(a, b)
    }
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_xor_si256(a, b)
    }
    fn shift_left(self, a: __m256i, count: u32) -> __m256i {
        _mm256_sll_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn shift_right(self, a: __m256i, count: u32) -> __m256i {
        _mm256_srl_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn shift_signed(self, a: __m256i, count: u32) -> __m256i {
        _mm256_sra_epi32(a, _mm_cvtsi32_si128(count as i32))
    }
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi32(a, b)
    }
    fn subtract(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_sub_epi32(a, b)
    }
    fn most_signed(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_max_epi32(a, b)
    }
    fn least(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_min_epu32(a, b)
    }
    fn if_equal(self, a: __m256i, b: __m256i, then: __m256i, otherwise: __m256i) -> __m256i {
        _mm256_blendv_epi8(otherwise, then, _mm256_cmpeq_epi32(a, b))
    }
    fn any_above(self, words: __m256i, most: u32) -> bool {
        let most = self.splat(most);
        let inside = _mm256_cmpeq_epi32(_mm256_max_epu32(words, most), most);
        _mm256_movemask_epi8(inside) != -1
    }

    fn shift_halves_right(self, a: __m256i, count: u32) -> __m256i {
        _mm256_srl_epi16(a, _mm_cvtsi32_si128(count as i32))
    }
    fn add_halves(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_add_epi16(a, b)
    }
    fn most_halves(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_max_epi16(a, b)
    }
    fn if_halves_equal(
        self,
        a: __m256i,
        b: __m256i,
        then: __m256i,
        otherwise: __m256i
    ) -> __m256i {
        _mm256_blendv_epi8(otherwise, then, _mm256_cmpeq_epi16(a, b))
    }

    fn multiply(self, a: __m256i, b: __m256i) -> __m256i {
        _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)))
    }
    fn cut(self, floats: __m256i) -> __m256i {
        _mm256_cvttps_epi32(_mm256_castsi256_ps(floats))
    }
    fn sum_to_float(self, a: __m256i, b: __m256i, odd: bool) -> __m256i {
        let low = (_mm256_castsi256_si128(a), _mm256_castsi256_si128(b));
        let high = (_mm256_extracti128_si256::<1>(a), _mm256_extracti128_si256::<1>(b));
        let low = _mm256_cvtpd_ps(sum_to_double(low.0, low.1, odd));
        let high = _mm256_cvtpd_ps(sum_to_double(high.0, high.1, odd));
        _mm256_castps_si256(_mm256_set_m128(high, low))
    }
    fn to_halves(self, low: __m256i, high: __m256i) -> __m256i {
        let low = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_castsi256_ps(low));
        let high = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_castsi256_ps(high));
        let high = self.shift_left(_mm256_cvtepu16_epi32(high), 16);
        _mm256_or_si256(_mm256_cvtepu16_epi32(low), high)
    }

    fn parts(self, words: __m256i, signed: bool) -> [__m256i; 2] {
        if BYTES {
            return [words; 2];
        }
        if signed {
            [_mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(words)), _mm256_srai_epi16::<8>(words)]
        } else {
            [self.and(words, self.splat(0x00ff_00ff)), _mm256_srli_epi16::<8>(words)]
        }
    }
    fn dot(self, sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        if BYTES {
            _mm256_dpbusd_avx_epi32(sum, a, b)
        } else {
            _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
        }
    }
}

/// The exact sum, cut to the 24 bits of an f32.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn sum_to_double(a: __m128i, b: __m128i, odd: bool) -> __m256d {
    // SAFETY: as the caller says.
    unsafe {
        let sum = _mm256_add_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
        let mut bits = _mm256_castpd_si256(sum);
        let dropped = _mm256_set1_epi64x((1 << 29) - 1);
        if odd {
            // A carry out of the bits that go.
            let carry = _mm256_add_epi64(_mm256_and_si256(bits, dropped), dropped);
            bits = _mm256_or_si256(bits, carry);
        }
        _mm256_castsi256_pd(_mm256_andnot_si256(dropped, bits))
    }
}
