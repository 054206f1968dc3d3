import Big from 'big.js'
import { sortedRuns } from '../charges/runs.ts'
import type { Known } from './bill.ts'

/** Bills that memory has no room for, in a temporary folder of this user's alone until `close`. */
export type Overflow = {
  put(bills: ReadonlyMap<string, Known>): void
  isEmpty(): boolean
  /** What was put, by key, for a database is slow at rows in no order; of one key, the first that was put first. */
  inOrder(): Generator<[key: string, known: Known]>
  close(): void
}

export function overflow(): Overflow {
  const runs = sortedRuns<Written>((written) => written)
  return {
    put(bills) {
      runs.put([...bills].map(([key, known]) => [key, { ...known, groups: [...known.groups] } as never]))
    },
    isEmpty: runs.isEmpty,
    *inOrder() {
      for (const [key, written] of runs.inOrder()) yield [key, read(written)]
    },
    close: runs.close,
  }
}

/** As JSON has it: its exact numbers are text. */
type WrittenGroup = { cost: string; priced?: { billed: string; each?: { quantity: string } } }
type Written = Omit<Known, 'groups'> & { groups: [string, WrittenGroup][] }

function read(known: Written): Known {
  const groups = known.groups.map(([text, group]) => [text, exact(group)])
  return { ...known, groups: new Map(groups as [string, never][]) }
}

function exact({ priced, ...group }: WrittenGroup) {
  const cost = new Big(group.cost)
  if (!priced) return { ...group, cost }
  const each = priced.each && { ...priced.each, quantity: new Big(priced.each.quantity) }
  return { ...group, cost, priced: { ...priced, billed: new Big(priced.billed), each } }
}
