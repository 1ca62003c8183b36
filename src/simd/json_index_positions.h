/*
 * json_index_positions.h - put_positions() without special instructions
 *
 * Eight at a time whether there are so many or not: a loop that stopped at
 * the last bit would be mispredicted once per word.
 */
#ifndef JSON_INDEX_POSITIONS_H
#define JSON_INDEX_POSITIONS_H

INDEX_TARGET static inline size_t put_positions(uint16_t *out, uint64_t bits, size_t base)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8) {
        for (size_t j = i; j < i + 8; j++) {
            /* The 1 above keeps the count of trailing zeros defined once the bits are used up. */
            out[j] = (uint16_t)(base + (size_t)__builtin_ctzll(bits | UINT64_C(1) << 63));
            bits &= bits - 1;
        }
    }
    return count;
}

#endif
