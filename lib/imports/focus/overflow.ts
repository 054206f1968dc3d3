import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import Big from 'big.js'
import type { Known } from './bill.ts'

const CHUNK = 64 * 1024

type Keyed = [key: string, known: Known]

/** Bills that memory has no room for, in a temporary folder of this user's alone until `close`. */
export type Overflow = {
  put(bills: ReadonlyMap<string, Known>): void
  isEmpty(): boolean
  /** What was put, by key, for a database is slow at rows in no order; of one key, the first that was put first. */
  inOrder(): Generator<Keyed>
  close(): void
}

export function overflow(): Overflow {
  let folder: string | undefined
  const files: string[] = []
  return {
    put(bills) {
      folder ??= mkdtempSync(join(tmpdir(), 'import-'))
      const lines = [...bills.keys()].sort().map((key) => lineOf(key, bills.get(key)))
      const file = join(folder, String(files.length))
      writeFileSync(file, lines.join(''), { mode: 0o600 })
      files.push(file)
    },
    isEmpty: () => files.length === 0,
    *inOrder() {
      const runs = files.map(readLines)
      try {
        const heads = runs.map((run) => run.next().value)
        for (let at = leastOf(heads); at !== -1; at = leastOf(heads)) {
          const head = heads[at]
          if (head) yield head
          heads[at] = runs[at]?.next().value
        }
      } finally {
        for (const run of runs) run.return(undefined)
      }
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function leastOf(heads: readonly (Keyed | undefined)[]): number {
  let least = -1
  for (const [at, head] of heads.entries())
    if (head && (least === -1 || head[0] < (heads[least]?.[0] ?? ''))) least = at
  return least
}

function* readLines(file: string): Generator<Keyed, undefined> {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK)
    const decoder = new StringDecoder('utf8')
    let rest = ''
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, size))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield read(line)
    }
  } finally {
    closeSync(descriptor)
  }
}

function lineOf(key: string, known: Known | undefined): string {
  return `${JSON.stringify([key, { ...known, groups: [...(known?.groups ?? [])] }])}\n`
}

/** As JSON has it: its exact numbers are text. */
type WrittenGroup = { cost: string; priced?: { billed: string; each?: { quantity: string } } }
type Written = [string, Omit<Known, 'groups'> & { groups: [string, WrittenGroup][] }]

function read(line: string): Keyed {
  const [key, known] = JSON.parse(line) as Written
  const groups = known.groups.map(([text, group]) => [text, exact(group)])
  return [key, { ...known, groups: new Map(groups as [string, never][]) }]
}

function exact({ priced, ...group }: WrittenGroup) {
  const cost = new Big(group.cost)
  if (!priced) return { ...group, cost }
  const each = priced.each && { ...priced.each, quantity: new Big(priced.each.quantity) }
  return { ...group, cost, priced: { ...priced, billed: new Big(priced.billed), each } }
}
