import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Big from 'big.js'
import type { Known } from './bill.ts'

const PARTS = 64

/** Bills that memory has no room for, in a temporary folder of this user's alone until `close`. */
export type Overflow = {
  put(bills: ReadonlyMap<string, Known>): void
  isEmpty(): boolean
  /** What was put: all of one bill is in one part. */
  parts(): Iterable<[key: string, known: Known][]>
  close(): void
}

export function overflow(): Overflow {
  let folder: string | undefined
  return {
    put(bills) {
      folder ??= mkdtempSync(join(tmpdir(), 'import-'))
      const texts = new Map<string, string>()
      for (const [key, { groups, ...known }] of bills) {
        const name = partOf(key)
        const line = JSON.stringify([key, { ...known, groups: [...groups] }])
        texts.set(name, `${texts.get(name) ?? ''}${line}\n`)
      }
      for (const [name, text] of texts) appendFileSync(join(folder, name), text, { mode: 0o600 })
    },
    isEmpty: () => folder === undefined,
    *parts() {
      for (const name of folder === undefined ? [] : readdirSync(folder).sort())
        yield readFileSync(join(folder ?? '', name), 'utf8')
          .trimEnd()
          .split('\n')
          .map(read)
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function partOf(key: string): string {
  return String((createHash('sha1').update(key).digest()[0] ?? 0) % PARTS)
}

type Written = [string, Omit<Known, 'groups'> & { groups: [string, { cost: string }][] }]

function read(line: string): [string, Known] {
  const [key, known] = JSON.parse(line) as Written
  const groups = known.groups.map(([text, group]) => [text, { ...group, cost: new Big(group.cost) }])
  return [key, { ...known, groups: new Map(groups as [string, never][]) }]
}
