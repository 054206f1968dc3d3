import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WEB } from '../../scripts/web-process.mjs'
import { startHeapGrowth } from './heap-growth.ts'

const MB = 1024 * 1024
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** Returns the growth that was set at each of these sizes in MB, one a second; undefined: unchanged. */
function growthAt(...sizes: number[]) {
  let resident = 0
  const set = vi.fn()
  const growth = startHeapGrowth(() => resident * MB, set)
  const course = sizes.map((size) => {
    resident = size
    set.mockClear()
    vi.advanceTimersByTime(1000)
    return set.mock.calls[0]?.[0]
  })
  growth.stop()
  set.mockClear()
  resident = 1000
  vi.advanceTimersByTime(5000)
  expect(set).not.toHaveBeenCalled()
  return course
}

test('the heap grows less above the target, and as before once enough was freed', () => {
  vi.stubEnv('MEMORY_TARGET_MB', '200')
  expect(growthAt(150, 201, 400, 190, 181, 179, 199, 201)).toEqual([
    undefined,
    25,
    undefined,
    undefined,
    undefined,
    50,
    undefined,
    25,
  ])
})

test('both growths are those for which the build fills a compile cache', () => {
  vi.stubEnv('MEMORY_TARGET_MB', '200')
  const [scarce, ample] = growthAt(201, 100)
  expect(WEB.options).toContain(`--heap-growing-percent=${ample}`)
  expect(WEB.scarce).toEqual([`--heap-growing-percent=${scarce}`])
})

test('without a target it stays as it is', () => {
  vi.stubEnv('MEMORY_TARGET_MB', '0')
  expect(growthAt(150, 5000)).toEqual([undefined, undefined])
})

test('V8 heeds the growth of a running process: the same work needs less heap', () => {
  // Replaces old objects, so that the heap consists of dead ones until it is collected. The growth counts from the first
  // collection on.
  const script = `
    import { setFlagsFromString, getHeapStatistics } from 'node:v8'
    const alive = Array.from({ length: 150_000 }, (_, n) => ({ n, values: [n, n + 1] }))
    gc()
    setFlagsFromString('--heap-growing-percent=' + process.argv[1])
    let most = 0
    for (let n = 0; n < 2_500_000; n++) {
      alive[(n * 7919) % alive.length] = { n, values: [n, n + 1] }
      if (n > 1_000_000 && n % 20_000 === 0) most = Math.max(most, getHeapStatistics().total_heap_size)
    }
    console.log(most)`
  const most = (percent: string) =>
    Number(
      execFileSync(
        process.execPath,
        [...WEB.options, '--expose-gc', '--input-type=module', '-e', script, percent],
        {
          encoding: 'utf8',
        },
      ),
    )
  expect(most('15')).toBeLessThan(most('200') * 0.8)
})
