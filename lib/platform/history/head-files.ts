import 'server-only'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readSignedHead, type SignedHead, type trusted } from './signing.ts'
import type { KnownHead } from './verify.ts'

/** A file a month, which is only ever added to. */
const NAME = /^heads-\d{4}-\d{2}\.jsonl$/

/** Adds signed heads to this month's file, a line each; they are on the disk when this returns. */
export async function addHeads(folder: string, heads: readonly SignedHead[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const month = new Date().toISOString().slice(0, 7)
  const file = await open(join(folder, `heads-${month}.jsonl`), 'a', 0o640)
  try {
    await file.appendFile(heads.map((head) => `${JSON.stringify(head)}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What files of heads hold: those whose signature fits, by customer, and how many lines have none that does. */
export type ReadHeads = { heads: Map<string, KnownHead[]>; refused: number }

/**
 * Reads signed heads, of a file or of each file of a folder. Of one customer all of them, so that the place of a change
 * shows; of all customers the last one each, so that memory is bounded by their number.
 */
export async function readHeads(
  path: string,
  keys: ReturnType<typeof trusted>,
  customer?: string,
): Promise<ReadHeads> {
  const heads = new Map<string, KnownHead[]>()
  let refused = 0
  for (const file of await filesOf(path)) {
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (line.trim() === '') continue
      const head = readSignedHead(line, keys)
      if (!head) refused += 1
      else if (customer === undefined || head.customer === customer) keep(heads, head, customer !== undefined)
    }
  }
  return { heads, refused }
}

function keep(heads: Map<string, KnownHead[]>, { customer, seq, digest }: SignedHead, isAll: boolean): void {
  const known = { seq, digest: Buffer.from(digest, 'hex') }
  const before = heads.get(customer)
  if (!before) heads.set(customer, [known])
  else if (isAll) before.push(known)
  else if (seq >= (before[0]?.seq ?? 0)) before[0] = known
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(path, name))
}
