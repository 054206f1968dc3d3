import { setFlagsFromString } from 'node:v8'
import { memorySettings } from './settings.ts'

/** Interval of the checks, in milliseconds. */
const INTERVAL_MS = 1000

/**
 * Growth of the heap before the next collection, in percent of what was alive after the last one, where the process holds
 * more than this share of its target. The first one equals the option in `scripts/web-process.mjs`.
 */
const STEPS = [
  { share: 0, percent: 50 },
  { share: 1, percent: 25 },
  { share: 1.1, percent: 10 },
] as const

/** Share of a step's own limit below which the process leaves the step: near the limit it does not alternate. */
const RELIEF = 0.9

/**
 * Lets the heap grow less between collections while this process holds more memory than `MEMORY_TARGET_MB`, and least
 * where it holds a tenth more: collections then use more processor time, which a process with free memory does not spend.
 * Does nothing where the target is 0.
 */
export function startHeapGrowth(
  residentBytes = (): number => process.memoryUsage.rss(),
  setGrowth = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`),
): { stop(): void } {
  const { targetBytes } = memorySettings()
  let current = 0
  const check = () => {
    const resident = residentBytes()
    const next = STEPS.findLastIndex(
      ({ share }, index) => resident > targetBytes * share * (index <= current ? RELIEF : 1),
    )
    if (next === current) return
    current = next
    setGrowth(STEPS[next]?.percent ?? STEPS[0].percent)
  }
  const timer = targetBytes === 0 ? undefined : setInterval(check, INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}
