import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Problem } from '#lib/platform/api/problem.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import {
  appendChainHeads,
  publicKey,
  readChainHeads,
  type TrustedChainHeads,
  trusted,
} from '#lib/platform/history/signing.ts'
import { type ChainViolation, verifyChain } from '#lib/platform/history/verify.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { signedChainHeads } from '#lib/server/audit/chain-heads.ts'
import { customerNamed } from '../command.ts'
import { counted, interruption, note, print, printJson } from '../terminal.ts'

type ChainResult = Awaited<ReturnType<typeof verifyChain>>
type VerifyOptions = { customer?: string; heads?: string; publicKey?: string[]; json?: boolean }

/** @throws Problem where a chain does not verify, after checking all of them */
export async function verifyHistory({
  customer,
  heads,
  publicKey: keys,
  json,
}: VerifyOptions): Promise<void> {
  const customers = customer === undefined ? await listCustomers() : [await customerNamed(customer)]
  const selectedId = customer === undefined ? undefined : customers[0]?.customerId
  const signed = await trustedHeads(heads, keys, selectedId)
  if (signed.refused > 0)
    note(`Not signed by a trusted key: ${counted(signed.refused, 'line')} of the heads.`)
  let broken = signed.refused
  const found: object[] = []
  for (const { customerId } of customers) {
    interruption.signal.throwIfAborted()
    const chainHeads = signed.chainHeads.get(customerId) ?? []
    const result = await readScope({ customerId }, (tx) => verifyChain(tx, customerId, chainHeads))
    const { violation, waiting, count, from, seq } = result
    if (violation) broken += 1
    const isVerified = violation === undefined
    const signatures = chainHeads.length
    found.push({ customer: customerId, isVerified, violation, waiting, count, from, seq, signatures })
    if (!json) print(`${customerId}: ${violation ? meaningOf(violation) : verifiedText(result, signatures)}`)
  }
  if (json) printJson(found)
  if (broken > 0) throw new Problem('invalid_request', 'The history does not verify.')
}

function verifiedText({ count, from, seq, waiting }: ChainResult, signatures: number): string {
  const signed = signatures === 0 ? 'no signed head' : counted(signatures, 'signed head')
  return `verified (${counted(count, 'event')}, ${from} to ${seq}; ${signed})${yetToCome(waiting)}`
}

function yetToCome(waiting = 0): string {
  if (waiting === 0) return ''
  return `; ${waiting.toLocaleString('en')} more of an older release are not chained yet: the job that does it goes on`
}

/**
 * Returns the trusted heads; none without a configured or existing folder: then only the database's own head reveals a
 * removed end.
 */
function trustedHeads(
  file: string | undefined,
  keys: string[] | undefined,
  customer?: string,
): Promise<TrustedChainHeads> | TrustedChainHeads {
  const path = file === undefined ? historySettings().headsDir : resolve(env().callerDir, file)
  const isThere = path !== undefined && (file !== undefined || existsSync(path))
  if (!isThere) note('No signed heads: set AUDIT_HEADS_DIR, or give --heads.')
  if (!isThere) return { chainHeads: new Map(), refused: 0 }
  // Without heads no key is read, or made: an image has no folder for one.
  return readChainHeads(path, trusted(keys ?? [publicKey()]), customer)
}

function meaningOf(code: ChainViolation): string {
  const at = 'seq' in code ? `at place ${code.seq}` : ''
  const id = 'eventId' in code ? `event ${code.eventId}` : ''
  switch (code.kind) {
    case 'edited':
      return `EDITED ${at}: ${id} is not what was written; or, if its digest was made anew, the one before it`
    case 'removed':
      return `REMOVED: the events at ${code.seq === code.upTo ? 'place' : 'places'} ${range(code.seq, code.upTo)} are gone`
    case 'inserted':
      return `INSERTED ${at}: ${id} was never written here`
    case 'moved':
      return `MOVED ${at}: ${id} was not written here; another stood in its place`
    case 'unchained':
      return `NOT CHAINED: ${id} has no place in the chain. It was put in by hand; or by a process of an older release beside this one, and \`database backfill --again audit-chain\` takes it in`
    case 'written-anew':
      return `REWRITTEN: the events at positions ${range(code.after + 1, code.seq)} differ from those whose head was signed`
  }
}

function range(from: number, to: number): string {
  return from === to ? String(from) : `${from} to ${to}`
}

export async function exportChainHeads(options: { customer?: string; publicKey?: boolean }): Promise<void> {
  if (options.publicKey) return print(publicKey())
  const { headsDir } = historySettings()
  const selectedId =
    options.customer === undefined ? undefined : (await customerNamed(options.customer)).customerId
  for await (const portion of signedChainHeads({ isAll: true })) {
    const chainHeads = portion.filter(({ customer }) => selectedId === undefined || customer === selectedId)
    if (headsDir !== undefined) await appendChainHeads(headsDir, chainHeads)
    for (const chainHead of chainHeads) print(JSON.stringify(chainHead))
  }
  note(headsDir === undefined ? 'AUDIT_HEADS_DIR is not set: they are printed only.' : `Kept in ${headsDir}.`)
}
