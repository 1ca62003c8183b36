#include "json/simd/json_index.h"

#include <string.h>

json_index_fn *json_index_of(enum json_simd simd)
{
    switch (simd) {
    case SIMD_PORTABLE:
        return json_index_portable;
#if defined(__x86_64__)
    case SIMD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi2")
                   ? json_index_avx2
                   : NULL;
    case SIMD_AVX512:
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi2")
                   ? json_index_avx512
                   : NULL;
#endif
#if defined(__aarch64__)
    case SIMD_NEON:
        return json_index_neon;
#endif
    default:
        return NULL;
    }
}

enum json_simd json_simd_best(void)
{
    static const enum json_simd order[] = {SIMD_AVX512, SIMD_AVX2, SIMD_NEON};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (json_index_of(order[i]) != NULL)
            return order[i];
    return SIMD_PORTABLE;
}

static size_t digits(const unsigned char *text, size_t len)
{
    size_t n = 0;
    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

bool json_scalar_valid(const unsigned char *text, size_t len)
{
    if (len == 4 && (memcmp(text, "true", 4) == 0 || memcmp(text, "null", 4) == 0))
        return true;
    if (len == 5 && memcmp(text, "false", 5) == 0)
        return true;
    size_t i = len > 0 && text[0] == '-' ? 1 : 0;
    size_t whole = digits(text + i, len - i);
    if (whole == 0 || (whole > 1 && text[i] == '0'))
        return false;
    i += whole;
    if (i < len && text[i] == '.') {
        size_t fraction = digits(text + i + 1, len - i - 1);
        if (fraction == 0)
            return false;
        i += 1 + fraction;
    }
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < len && (text[i] == '+' || text[i] == '-'))
            i++;
        size_t exponent = digits(text + i, len - i);
        if (exponent == 0)
            return false;
        i += exponent;
    }
    return i == len;
}

bool json_word_nonfinite(const unsigned char *text, size_t len)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    if (len == 3 && memcmp(text, "N/A", 3) == 0)
        return true;
    if (len > 0 && (text[0] == '+' || text[0] == '-')) {
        text++;
        len--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t same = 0;
        while (same < len && words[i][same] != '\0' &&
               (text[same] == words[i][same] || text[same] + 0x20 == words[i][same]))
            same++;
        if (same == len && words[i][same] == '\0')
            return true;
    }
    return false;
}

size_t json_utf8_length(const unsigned char *text, size_t len)
{
    unsigned char lead = text[0];
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || len < n || text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (text[i] < 0x80 || text[i] > 0xBF)
            return 0;
    return n;
}
