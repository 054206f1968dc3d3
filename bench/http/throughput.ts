/** Throughput and latencies of a measurement. Times in milliseconds. */
export type Pace = {
  perSecond: number
  median: number
  p99: number
  /** All requests, including the warm-up. */
  requests: number
  /** Responses with a status other than 200. */
  failed: number
}

/**
 * @param times of all responses, in milliseconds
 * @param seconds of the measurement
 */
export function paceOf(times: number[], seconds: number, failed = 0): Pace {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return {
    perSecond: times.length / seconds,
    median: at(0.5),
    p99: at(0.99),
    requests: times.length,
    failed,
  }
}

/** Minimum, median and maximum of some figures. */
export type Range = { min: number; median: number; max: number }

export function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(sorted.length - 1) }
}
