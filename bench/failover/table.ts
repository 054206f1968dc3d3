import type { Compared } from './compare.ts'
import type { Tally } from './tally.ts'

const HEADER = `| killed | changes acknowledged | reads | no change acknowledged for | refused |
|---|---:|---:|---:|---|`

export function tableOf(tallies: readonly Tally[]): string {
  const rows = tallies.map((tally) => {
    const stopped = `${tally.stoppedSeconds().toFixed(1)} s`
    return `| ${[tally.name, tally.changes, tally.reads, stopped, listOf(tally.refused)].join(' | ')} |`
  })
  return [HEADER, ...rows].join('\n')
}

/** Returns whether something happened that must not. */
export function failed(tallies: readonly Tally[], { lost, twice, untold, wrongSeats }: Compared): boolean {
  return lost + twice + untold + wrongSeats > 0 || tallies.some(({ fault }) => fault !== undefined)
}

function listOf(rejections: ReadonlyMap<string, number>): string {
  return (
    [...rejections].map(([what, count]) => `${count.toLocaleString('en')} × ${what}`).join(', ') || 'none'
  )
}
