import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { isFilled } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { contentDigest, GENESIS, linkDigest } from './audit.ts'
import {
  auditChaining,
  type ChainedEvent,
  type Link,
  listChain,
  listUnchained,
  readBounds,
} from './chain-rows.ts'

/** A head that was signed: up to here, the chain was this one. */
export type ChainHead = { seq: number; digest: Buffer }

/** The first thing that is wrong with a history: `seq` is its place in the chain, `eventId` the event there. */
export type ChainViolation =
  | { kind: 'edited' | 'inserted' | 'moved'; seq: number; eventId: string }
  | { kind: 'removed'; seq: number; upTo: number }
  /** An event without a link, though what an older release wrote has its links by now. */
  | { kind: 'unchained'; eventId: string }
  /** A whole chain, and not the one whose heads were signed: what comes after `after`, up to `seq`, is another. */
  | { kind: 'written-anew'; after: number; seq: number }

/** `waiting`: so many events are of an older release, and get their links by a job that is not done with them. */
export type ChainReport = {
  violation?: ChainViolation
  waiting?: number
  count: number
  from: number
  seq: number
}

/**
 * Reads a customer's chain from its beginning, in bounded memory, and says what is wrong with it first.
 * @param signedChainHeads those that were signed
 */
export async function verifyChain(
  tx: Transaction,
  customerId: CustomerId,
  signedChainHeads: readonly ChainHead[] = [],
): Promise<ChainReport> {
  const { closings, chainHead } = await readBounds(tx, customerId)
  const links = listChain(tx, customerId)
  const first = (await links.next()).value ?? undefined
  const begin = beginning(first, closings)
  const signed = [...signedChainHeads, ...closings]
    .filter(({ seq }) => seq >= begin.seq)
    .sort((one, other) => one.seq - other.seq)
  const end: End = { ...begin, count: 0, eventId: '0', before: begin.digest }
  const isSigned = comparing(signed, begin.seq)
  const verifyLink = (link: Link, next?: Link) => step(end, link, next, chainHead?.seq ?? 0) ?? isSigned(end)
  let violation: ChainViolation | undefined
  let previous = first
  for await (const link of links) {
    // One is held back: what is wrong with it shows by how the next one follows.
    violation = previous && verifyLink(previous, link)
    if (violation) break
    previous = link
  }
  violation ??= previous && verifyLink(previous)
  violation ??= lastViolation(end, chainHead, signed.at(-1)?.seq ?? 0)
  const report = { count: end.count, from: begin.seq + 1, seq: end.seq }
  return violation ? { ...report, violation } : { ...report, ...(await unchained(tx, customerId)) }
}

/** Where a chain begins or has come to; without a digest where none of the places before has one that is known. */
type End = { seq: number; digest?: Buffer; eventId: string; count: number; before?: Buffer }

/**
 * After which place to begin: the last one that was closed, but where what is closed is not gone yet. Its first link follows a closed
 * place or none, or one whose month is gone already; then nothing is known of what stood before it.
 */
function beginning(
  first: Link | undefined,
  closings: readonly ChainHead[],
): Partial<ChainHead> & { seq: number } {
  const none = { seq: 0, digest: GENESIS }
  const closed = closings.at(-1) ?? none
  if (!first || first.seq < 1 || first.seq > closed.seq) return closed
  return [none, ...closings].find(({ seq }) => seq === first.seq - 1) ?? { seq: first.seq - 1 }
}

/** Takes the next link in; or says what is wrong there. */
function step(end: End, link: Link, next: Link | undefined, last: number): ChainViolation | undefined {
  const expectedSeq = end.seq + 1
  const { seq, eventId, event } = link
  if (seq > expectedSeq) return { kind: 'removed', seq: expectedSeq, upTo: seq - 1 }
  if (seq < expectedSeq || seq > last) return { kind: 'inserted', seq, eventId }
  if (!event) return { kind: 'removed', seq, upTo: seq }
  if (end.digest && !digestAt(event, expectedSeq, end.digest)?.equals(link.digest)) {
    // It would fit in the place of the one before, which therefore came in between.
    const isPushed = end.count > 0 && digestAt(event, end.seq, end.before)?.equals(link.digest)
    if (isPushed) return { kind: 'inserted', seq: end.seq, eventId: end.eventId }
    return { kind: kindOf(end, link, next), seq, eventId }
  }
  Object.assign(end, { before: end.digest, seq, digest: link.digest, eventId, count: end.count + 1 })
  return undefined
}

function kindOf(end: End, link: Link, next: Link | undefined): 'edited' | 'inserted' | 'moved' {
  if (!next?.event) return 'edited'
  // What follows still fits the digest that was here.
  if (digestAt(next.event, link.seq + 1, link.digest)?.equals(next.digest)) return 'edited'
  // What follows would fit in its place.
  if (digestAt(next.event, link.seq, end.digest)?.equals(next.digest)) return 'inserted'
  return 'moved'
}

/** Undefined after a place of which nothing is known. */
function digestAt(event: ChainedEvent, seq: number, before: Buffer | undefined): Buffer | undefined {
  return before && linkDigest(before, contentDigest(event), { ...event, seq })
}

/** Compares the chain with the signed heads, each when it is reached. */
function comparing(signed: readonly ChainHead[], first: number) {
  let at = 0
  let after = first
  return ({ seq, digest }: End): ChainViolation | undefined => {
    for (let chainHead = signed[at]; chainHead && chainHead.seq <= seq; chainHead = signed[++at]) {
      if (chainHead.seq === seq && digest && !chainHead.digest.equals(digest))
        return { kind: 'written-anew', after, seq }
      after = chainHead.seq
    }
    return undefined
  }
}

/** What is wrong with an end up to which all is well: it is not the last one, or not the one that the head names. */
function lastViolation(
  { seq, digest, eventId }: End,
  chainHead: ChainHead | undefined,
  signed: number,
): ChainViolation | undefined {
  const last = Math.max(chainHead?.seq ?? 0, signed)
  if (seq < last) return { kind: 'removed', seq: seq + 1, upTo: last }
  return chainHead && digest && !chainHead.digest.equals(digest)
    ? { kind: 'edited', seq, eventId }
    : undefined
}

/** So many at once: each is read whole. */
const PORTION = 1000

async function unchained(
  tx: Transaction,
  customerId: CustomerId,
): Promise<Pick<ChainReport, 'violation' | 'waiting'>> {
  const isDone = await isFilled(tx, customerId, auditChaining.name)
  let waiting = 0
  for (let after: string | null | undefined; after !== null; ) {
    const { events, next } = await listUnchained(tx, customerId, { after: after ?? null, most: PORTION })
    const [first] = events
    if (isDone && first) return { violation: { kind: 'unchained', eventId: first.eventId } }
    waiting += events.length
    after = next
  }
  return waiting > 0 ? { waiting } : {}
}
