/** Pseudorandom stream: the same seed yields the same stream on every machine. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number, both bounds included. */
  int(from: number, to: number): number
  /** A number around 1 that strays by at most `spread`. */
  around(deviation: number): number
  choose<T>(list: readonly [T, ...T[]]): T
}

/**
 * Opens the stream of a seed. Each item has a seed of its own, so that an added case shifts no other. The generator is
 * mulberry32; the seed's text is mixed by FNV-1a.
 */
export function randomFrom(seed: string): Random {
  let state = 0x811c9dc5
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    around: (deviation) => 1 + (next() * 2 - 1) * deviation,
    choose: (list) => list[Math.floor(next() * list.length)] ?? list[0],
  }
}
