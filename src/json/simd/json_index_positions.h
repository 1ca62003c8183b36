/*
 * json_index_positions.h - put_positions() without special instructions
 *
 * Eight at a time whether there are so many or not: a loop that stopped at
 * the last bit would be mispredicted once per word.
 */
#ifndef JSON_INDEX_POSITIONS_H
#define JSON_INDEX_POSITIONS_H

INDEX_TARGET static inline void put_lowest(uint16_t *out, uint64_t *bits, size_t base)
{
    /* The 1 above keeps the count of trailing zeros defined once the bits are used up. */
    *out = (uint16_t)(base + (size_t)__builtin_ctzll(*bits | UINT64_C(1) << 63));
    *bits &= *bits - 1;
}

INDEX_TARGET static inline size_t put_positions(uint16_t *out, uint64_t bits, size_t base)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8) {
        put_lowest(out + i, &bits, base);
        put_lowest(out + i + 1, &bits, base);
        put_lowest(out + i + 2, &bits, base);
        put_lowest(out + i + 3, &bits, base);
        put_lowest(out + i + 4, &bits, base);
        put_lowest(out + i + 5, &bits, base);
        put_lowest(out + i + 6, &bits, base);
        put_lowest(out + i + 7, &bits, base);
    }
    return count;
}

#endif
