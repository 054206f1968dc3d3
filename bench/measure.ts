const CONNECTIONS = 16
const SECONDS = 4

/** Runs `work` from 16 hands at once for 4 seconds, after 1 second that does not count. */
export async function run(
  name: string,
  work: () => Promise<unknown>,
): Promise<{ perSecond: number; median: number }> {
  await hands(work, 1)
  const times = await hands(work, SECONDS)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  const perSecond = times.length / SECONDS
  const figures = [
    `${Math.round(perSecond)}/s`,
    `median ${at(0.5).toFixed(1)} ms`,
    `p99 ${at(0.99).toFixed(1)} ms`,
  ]
  console.log(`${name.padEnd(40)} ${figures.join('  ')}`)
  return { perSecond, median: at(0.5) }
}

async function hands(work: () => Promise<unknown>, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  const hand = async () => {
    while (performance.now() < end) {
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, hand))
  return times
}

/** Prints one ratio of two runs. */
export function report(what: string, ratio: number): void {
  console.log(`→ ${what}: ${ratio.toFixed(2)}\n`)
}
