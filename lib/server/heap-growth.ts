import { setFlagsFromString } from 'node:v8'
import { memorySettings } from './settings.ts'

/** Interval of the checks, in milliseconds. */
const INTERVAL_MS = 1000

/**
 * Growth of the heap before the next collection, in percent of what was alive after the last one. Both values equal
 * the options in `scripts/web-process.mjs`, because V8's options are part of the name of the compile cache's folder: the
 * build fills one for each. A module that is loaded just when the growth changes is compiled again.
 */
const GROWTH = { ample: 50, scarce: 25 }

/** Share of the target below which the heap grows by `ample` again: near the target it does not alternate. */
const RELIEF = 0.9

/**
 * Lets the heap grow less between collections while this process holds more memory than `MEMORY_TARGET_MB`: collections
 * then take more processor time, which a process with free memory does not spend. Does nothing where it is 0.
 */
export function startHeapGrowth(
  residentBytes = (): number => process.memoryUsage.rss(),
  setGrowth = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`),
): { stop(): void } {
  const { targetBytes } = memorySettings()
  let growth = GROWTH.ample
  const check = () => {
    const limit = growth === GROWTH.ample ? targetBytes : targetBytes * RELIEF
    const next = residentBytes() > limit ? GROWTH.scarce : GROWTH.ample
    if (next === growth) return
    growth = next
    setGrowth(growth)
  }
  const timer = targetBytes === 0 ? undefined : setInterval(check, INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}
