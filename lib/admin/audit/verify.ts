import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Problem } from '#lib/platform/api/problem.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import { addHeads, publicKey, type ReadHeads, readHeads, trusted } from '#lib/platform/history/signing.ts'
import { type Fault, verifyChain } from '#lib/platform/history/verify.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { signedHeads } from '#lib/server/audit/heads.ts'
import { customerNamed } from '../command.ts'
import { interruption, note, print } from '../terminal.ts'

type Given = { customer?: string; heads?: string; publicKey?: string[] }

/** @throws Problem where a chain does not verify, after all of them were looked at */
export async function verifyHistory({ customer, heads, publicKey: keys }: Given): Promise<void> {
  const customers = customer === undefined ? await listCustomers() : [await customerNamed(customer)]
  const own = customer === undefined ? undefined : customers[0]?.customerId
  const signed = await headsOf(heads, keys ?? [publicKey()], own)
  if (signed.refused > 0)
    note(`${signed.refused} lines of the heads are not signed by a key that is trusted.`)
  let broken = signed.refused
  for (const { customerId } of customers) {
    interruption.signal.throwIfAborted()
    const known = signed.heads.get(customerId) ?? []
    const verdict = await readScope({ customerId }, (tx) => verifyChain(tx, customerId, known))
    const { fault, waiting, count, from, seq } = verdict
    if (fault) broken += 1
    const events = `${count.toLocaleString('en')} events, ${from} to ${seq}`
    const heads = known.length === 0 ? 'no signed head' : `${known.length} signed heads`
    print(
      `${customerId}: ${fault ? meaningOf(fault) : `verified (${events}; ${heads})${yetToCome(waiting)}`}`,
    )
  }
  if (broken > 0) throw new Problem('invalid_request', 'The history does not verify.')
}

function yetToCome(waiting = 0): string {
  if (waiting === 0) return ''
  return `; ${waiting.toLocaleString('en')} more of an older release are not chained yet: the job that does it goes on`
}

/** None where no folder is set, or it is not there yet: then a removed end shows by the database's own head only. */
function headsOf(
  given: string | undefined,
  keys: string[],
  customer?: string,
): Promise<ReadHeads> | ReadHeads {
  const path = given === undefined ? historySettings().headsDir : resolve(env().callerDir, given)
  const isThere = path !== undefined && (given !== undefined || existsSync(path))
  if (!isThere) note('No signed heads: set AUDIT_HEADS_DIR, or give --heads.')
  return isThere ? readHeads(path, trusted(keys), customer) : { heads: new Map(), refused: 0 }
}

function meaningOf(fault: Fault): string {
  const at = 'seq' in fault ? `at place ${fault.seq}` : ''
  const id = 'eventId' in fault ? `event ${fault.eventId}` : ''
  switch (fault.kind) {
    case 'edited':
      return `EDITED ${at}: ${id} is not what was written; or, if its digest was made anew, the one before it`
    case 'removed':
      return `REMOVED: the events at ${fault.seq === fault.upTo ? 'place' : 'places'} ${range(fault.seq, fault.upTo)} are gone`
    case 'inserted':
      return `INSERTED ${at}: ${id} was never written here`
    case 'moved':
      return `MOVED ${at}: ${id} was not written here; another stood in its place`
    case 'unchained':
      return `NOT CHAINED: ${id} has no place in the chain. It was put in by hand; or by a process of an older release beside this one, and \`database backfill --again audit-chain\` takes it in`
    case 'written-anew':
      return `WRITTEN ANEW: the events at places ${range(fault.after + 1, fault.seq)} are not those whose head was signed`
  }
}

function range(from: number, to: number): string {
  return from === to ? String(from) : `${from} to ${to}`
}

export async function giveHeads(given: { customer?: string; publicKey?: boolean }): Promise<void> {
  if (given.publicKey) return print(publicKey())
  const { headsDir } = historySettings()
  const own = given.customer === undefined ? undefined : (await customerNamed(given.customer)).customerId
  for await (const portion of signedHeads({ isAll: true })) {
    const heads = portion.filter(({ customer }) => own === undefined || customer === own)
    if (headsDir !== undefined) await addHeads(headsDir, heads)
    for (const head of heads) print(JSON.stringify(head))
  }
  note(headsDir === undefined ? 'AUDIT_HEADS_DIR is not set: they are printed only.' : `Kept in ${headsDir}.`)
}
