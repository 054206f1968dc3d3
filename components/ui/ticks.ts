/**
 * Returns at most six numbers at even distances that enclose both bounds.
 * @param least smallest distance: 1 where only whole numbers make sense
 */
export function ticksBetween(low: number, high: number, least = 0): number[] {
  const minStep = Math.max(least, (high - low) / 4) || 1
  const exponent = Math.floor(Math.log10(minStep))
  const factor = [1, 2, 5, 10].find((one) => one * 10 ** exponent >= minStep * (1 - 1e-9)) ?? 10
  // Counted in whole steps of a power of ten, so that no tick is 0.30000000000000004.
  const at = (step: number) =>
    exponent < 0 ? (step * factor) / 10 ** -exponent : step * factor * 10 ** exponent
  const first = Math.floor(low / at(1) + 1e-9)
  const last = Math.max(Math.ceil(high / at(1) - 1e-9), first + 1)
  return Array.from({ length: last - first + 1 }, (_, index) => at(first + index))
}
