// Integer arithmetic: division and remainders of all widths, 64-bit and wide products, shifts, bit functions,
// bytes, saturation, conversions.
#include "sample.h"

// Computed with plain C++ on both sides, where C++ defines the result.
__host__ __device__ inline int portable(int64_t a, int64_t b, int64_t *out) {
    int n = 0;
    int64_t divisor = b ? b : 1;
    if (divisor == -1) divisor = 3; // The smallest number over -1 has no answer.
    uint64_t ua = a, udivisor = divisor;
    int32_t a32 = int32_t(a), divisor32 = int32_t(divisor) ? int32_t(divisor) : 7;
    if (divisor32 == -1) divisor32 = -5;
    out[n++] = a / divisor;
    out[n++] = a % divisor;
    out[n++] = int64_t(ua / udivisor);
    out[n++] = int64_t(ua % udivisor);
    out[n++] = a32 / divisor32;
    out[n++] = a32 % divisor32;
    out[n++] = uint32_t(a32) / uint32_t(divisor32);
    out[n++] = uint32_t(a32) % uint32_t(divisor32);
    int16_t a16 = int16_t(a), divisor16 = int16_t(b) ? int16_t(b) : 3;
    uint8_t a8 = uint8_t(a), divisor8 = uint8_t(b) ? uint8_t(b) : 9;
    out[n++] = int16_t(a16 / divisor16);
    out[n++] = a8 % divisor8;
    out[n++] = a / 10;
    out[n++] = a % 1000003;
    out[n++] = uint32_t(a32) / 7;
    out[n++] = int64_t(ua * uint64_t(b));
    out[n++] = int64_t(int32_t(a)) * int32_t(b);
    out[n++] = int64_t(uint64_t(uint32_t(a)) * uint32_t(b));
    out[n++] = int64_t(ua << (b & 63));
    out[n++] = a >> (b & 63);
    out[n++] = int64_t(ua >> (b & 63));
    out[n++] = uint32_t(a) << (b & 31);
    out[n++] = a32 >> (b & 31);
    out[n++] = int8_t(a) * int8_t(b);
    out[n++] = int64_t(double(a >> 12));
    out[n++] = int64_t(float(a32));
    out[n++] = a > b ? a : b;
    out[n++] = (ua > uint64_t(b)) + (a32 < int32_t(b)) * 2 + (uint16_t(a) >= uint16_t(b)) * 4;
    out[n++] = (a & b) ^ (a | ~b);
    return n;
}
constexpr int PORTABLE = 27;

// The intrinsics.
__device__ int intrinsics(int64_t a, int64_t b, int64_t *out) {
    int n = 0;
    uint32_t a32 = uint32_t(a), b32 = uint32_t(b);
    out[n++] = __mul64hi(a, b);
    out[n++] = int64_t(__umul64hi(a, b));
    out[n++] = __mulhi(int(a32), int(b32));
    out[n++] = __umulhi(a32, b32);
    out[n++] = __mul24(int(a32), int(b32));
    out[n++] = __umul24(a32, b32);
    out[n++] = __clz(int(a32));
    out[n++] = __clzll(a);
    out[n++] = __popc(a32);
    out[n++] = __popcll(a);
    out[n++] = __brev(a32);
    out[n++] = int64_t(__brevll(a));
    out[n++] = __ffs(int(a32));
    out[n++] = __ffsll(a);
    out[n++] = __byte_perm(a32, b32, 0x6240);
    out[n++] = __byte_perm(a32, b32, b32 >> 7);
    out[n++] = __funnelshift_l(a32, b32, b32);
    out[n++] = __funnelshift_rc(a32, b32, b32 & 63);
    out[n++] = __sad(int(a32), int(b32), 5);
    out[n++] = __usad(a32, b32, 5);
    out[n++] = __hadd(int(a32), int(b32));
    out[n++] = __urhadd(a32, b32);
    out[n++] = __vadd4(a32, b32);
    out[n++] = __vmaxs2(a32, b32);
    out[n++] = abs(int(a32));
    out[n++] = __dp4a(int(a32), int(b32), 11);
    return n;
}
constexpr int INTRINSICS = 26;

std::vector<int64_t> expected_intrinsics(int64_t a, int64_t b) {
    uint32_t a32 = uint32_t(a), b32 = uint32_t(b);
    auto count_leading = [](uint64_t x, int bits) {
        int n = 0;
        while (n < bits && !(x >> (bits - 1 - n) & 1)) ++n;
        return n;
    };
    auto count_trailing = [](uint64_t x) {
        int n = 0;
        while (!(x >> n & 1)) ++n;
        return n;
    };
    auto reverse = [](uint64_t x, int bits) {
        uint64_t result = 0;
        for (int i = 0; i < bits; ++i) result |= (x >> i & 1) << (bits - 1 - i);
        return result;
    };
    auto permute = [&](uint32_t selector) {
        uint64_t bytes = uint64_t(b32) << 32 | a32;
        uint32_t result = 0;
        for (int i = 0; i < 4; ++i) result |= uint32_t(bytes >> ((selector >> 4 * i & 7) * 8) & 0xff) << 8 * i;
        return result;
    };
    uint64_t pair = uint64_t(b32) << 32 | a32;
    uint32_t rotate = b32 & 31, clamped = (b32 & 63) > 32 ? 32 : (b32 & 63);
    int64_t sa = int32_t(a32), sb = int32_t(b32);
    uint32_t bytes_sum = 0, halves_max = 0;
    int64_t dot = 11;
    for (int i = 0; i < 4; ++i) {
        bytes_sum |= ((a32 >> 8 * i) + (b32 >> 8 * i) & 0xff) << 8 * i;
        dot += int8_t(a32 >> 8 * i) * int8_t(b32 >> 8 * i);
    }
    for (int i = 0; i < 2; ++i) {
        int16_t x = int16_t(a32 >> 16 * i), y = int16_t(b32 >> 16 * i);
        halves_max |= uint32_t(uint16_t(x > y ? x : y)) << 16 * i;
    }
    auto low24 = [](int64_t x) { return int64_t(x << 40) >> 40; };
    return {int64_t(__int128(a) * b >> 64),
            int64_t((unsigned __int128)(uint64_t)a * (uint64_t)b >> 64),
            sa * sb >> 32,
            int64_t(uint64_t(a32) * b32 >> 32),
            int32_t(low24(sa) * low24(sb)),
            uint32_t(uint64_t(a32 & 0xffffff) * (b32 & 0xffffff)),
            count_leading(a32, 32),
            count_leading(uint64_t(a), 64),
            __builtin_popcount(a32),
            __builtin_popcountll(a),
            int64_t(reverse(a32, 32)),
            int64_t(reverse(a, 64)),
            a32 ? count_trailing(a32) + 1 : 0,
            a ? count_trailing(a) + 1 : 0,
            permute(0x6240),
            permute(b32 >> 7),
            uint32_t(pair << rotate >> 32),
            uint32_t(clamped == 32 ? b32 : pair >> clamped),
            uint32_t((sa > sb ? sa - sb : sb - sa) + 5),
            uint32_t((a32 > b32 ? a32 - b32 : b32 - a32) + 5),
            int32_t((sa + sb) >> 1),
            int64_t((uint64_t(a32) + b32 + 1) >> 1),
            bytes_sum,
            halves_max,
            int32_t(a32) < 0 ? int32_t(0u - a32) : int32_t(a32),
            int32_t(dot)};
}

__global__ void compute(const int64_t *a, const int64_t *b, int64_t *portable_out, int64_t *intrinsics_out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    portable(a[i], b[i], portable_out + i * PORTABLE);
    intrinsics(a[i], b[i], intrinsics_out + i * INTRINSICS);
}

int main() {
    std::vector<int64_t> edges = {0, 1, -1, 2, -2, 7, 10, 31, 32, 63, 64, 255, 256, 1000003, -32768, 65535, 65536,
                                  INT32_MAX, INT32_MIN, 0xffffffffll, 0x100000000ll, INT64_MAX, INT64_MIN,
                                  INT64_MIN + 1, 0x123456789abcdefll, -0x123456789abcdefll};
    Random random(20);
    std::vector<int64_t> a, b;
    for (int64_t x : edges)
        for (int64_t y : edges) a.push_back(x), b.push_back(y);
    for (int i = 0; i < 300; ++i) {
        a.push_back(int64_t(random.next()) >> random.next() % 60);
        b.push_back(int64_t(random.next()) >> random.next() % 63);
    }
    int count = a.size();
    DeviceArray<int64_t> device_a(a), device_b(b), portable_out(count * PORTABLE), intrinsics_out(count * INTRINSICS);
    compute<<<(count + 127) / 128, 128>>>(device_a.get(), device_b.get(), portable_out.get(), intrinsics_out.get(),
                                          count);
    CUDA_FINISH();
    auto got = portable_out.to_host(), got_intrinsics = intrinsics_out.to_host();
    for (int i = 0; i < count; ++i) {
        int64_t expected[PORTABLE];
        expect_equal("portable results", portable(a[i], b[i], expected), PORTABLE);
        for (int n = 0; n < PORTABLE; ++n)
            if (got[i * PORTABLE + n] != expected[n])
                fail("operation %d of %lld and %lld: got %lld, expected %lld", n, (long long)a[i], (long long)b[i],
                     (long long)got[i * PORTABLE + n], (long long)expected[n]);
        auto by_hand = expected_intrinsics(a[i], b[i]);
        expect_equal("intrinsics", int(by_hand.size()), INTRINSICS);
        for (int n = 0; n < INTRINSICS; ++n)
            if (got_intrinsics[i * INTRINSICS + n] != by_hand[n])
                fail("intrinsic %d of %lld and %lld: got %lld, expected %lld", n, (long long)a[i], (long long)b[i],
                     (long long)got_intrinsics[i * INTRINSICS + n], (long long)by_hand[n]);
    }
    return pass("integers");
}
