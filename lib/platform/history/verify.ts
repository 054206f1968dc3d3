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

/** Signed head: the chain's digest at this place. */
export type ChainHead = { seq: number; digest: Buffer }

/** First violation of a history: `seq` is the place in the chain, `eventId` the event there. */
export type ChainViolation =
  | { kind: 'edited' | 'inserted' | 'moved'; seq: number; eventId: string }
  | { kind: 'removed'; seq: number; upTo: number }
  /** Event without a link, although the backfill of older releases' events is complete. */
  | { kind: 'unchained'; eventId: string }
  /** Consistent chain that differs from the signed heads: the links after `after` up to `seq` were replaced. */
  | { kind: 'written-anew'; after: number; seq: number }

/**
 * Result of verifying a chain. `waiting`: number of an older release's events that an unfinished backfill still has to
 * link.
 */
export type ChainReport = {
  violation?: ChainViolation
  waiting?: number
  count: number
  from: number
  seq: number
}

/**
 * Reads a customer's chain from its beginning, in constant memory, and returns the first violation.
 * @param signedChainHeads signed heads to compare the chain with
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
    // Looks one link ahead: the kind of a violation depends on how the next link follows.
    violation = previous && verifyLink(previous, link)
    if (violation) break
    previous = link
  }
  violation ??= previous && verifyLink(previous)
  violation ??= lastViolation(end, chainHead, signed.at(-1)?.seq ?? 0)
  const report = { count: end.count, from: begin.seq + 1, seq: end.seq }
  return violation ? { ...report, violation } : { ...report, ...(await unchained(tx, customerId)) }
}

/** Verified part of a chain; without a digest if no previous place has a known one. */
type End = { seq: number; digest?: Buffer; eventId: string; count: number; before?: Buffer }

/**
 * Returns the place after which to begin: the last closed one, unless closed months are not removed yet. Then the first
 * link follows a closed place or none, or one whose month is removed already; in the latter case the digest before it
 * is unknown.
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

/** Advances the verified part by the next link; returns a violation if the link does not fit. */
function step(end: End, link: Link, next: Link | undefined, last: number): ChainViolation | undefined {
  const expectedSeq = end.seq + 1
  const { seq, eventId, event } = link
  if (seq > expectedSeq) return { kind: 'removed', seq: expectedSeq, upTo: seq - 1 }
  if (seq < expectedSeq || seq > last) return { kind: 'inserted', seq, eventId }
  if (!event) return { kind: 'removed', seq, upTo: seq }
  if (end.digest && !digestAt(event, expectedSeq, end.digest)?.equals(link.digest)) {
    // It would fit in the previous place, so the previous link was inserted.
    const isPushed = end.count > 0 && digestAt(event, end.seq, end.before)?.equals(link.digest)
    if (isPushed) return { kind: 'inserted', seq: end.seq, eventId: end.eventId }
    return { kind: kindOf(end, link, next), seq, eventId }
  }
  Object.assign(end, { before: end.digest, seq, digest: link.digest, eventId, count: end.count + 1 })
  return undefined
}

function kindOf(end: End, link: Link, next: Link | undefined): 'edited' | 'inserted' | 'moved' {
  if (!next?.event) return 'edited'
  // The next link still fits the original digest of this place.
  if (digestAt(next.event, link.seq + 1, link.digest)?.equals(next.digest)) return 'edited'
  // The next link would fit in this place.
  if (digestAt(next.event, link.seq, end.digest)?.equals(next.digest)) return 'inserted'
  return 'moved'
}

/** Returns the digest of an event at a place; undefined if the previous digest is unknown. */
function digestAt(event: ChainedEvent, seq: number, before: Buffer | undefined): Buffer | undefined {
  return before && linkDigest(before, contentDigest(event), { ...event, seq })
}

/** Returns a function that compares each signed head with the chain when its place is reached. */
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

/** Returns the violation at the end of a consistent chain: links are missing, or the last one differs from the head. */
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

/** Events per query: each is held in memory as a whole. */
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
