import 'server-only'
import { and, asc, eq, gt, lte, notExists, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { auditChain, auditClosings, auditEvents, auditHeads } from '#lib/platform/db/schema/history.ts'
import { type ChainPosition, contentDigest, type Entry, GENESIS, linkDigest, microsOf } from './audit.ts'

/** Event with the fields of its digest. */
export type ChainedEvent = Entry & Pick<ChainPosition, 'eventId' | 'micros'>
/** Link of the chain with its event; undefined if the event is missing. */
export type Link = { seq: number; eventId: string; digest: Buffer; event: ChainedEvent | undefined }

const PORTION = 1000

const entry = {
  customerId: auditEvents.customerId,
  eventId: sql<string>`${auditEvents.id}::text`,
  micros: sql<string>`${sql.raw(microsOf('audit_events.at'))}::text`,
  action: auditEvents.action,
  subject: auditEvents.subject,
  actorKind: auditEvents.actorKind,
  actorId: auditEvents.actorId,
  actorName: auditEvents.actorName,
  requestId: auditEvents.requestId,
  session: auditEvents.session,
  address: auditEvents.address,
  agent: auditEvents.agent,
  details: sql<Record<string, unknown>>`${auditEvents.details}`,
}
const link = {
  seq: auditChain.seq,
  eventId: sql<string>`${auditChain.eventId}::text`,
  digest: auditChain.digest,
}
const ITS_EVENT = and(
  eq(auditEvents.customerId, auditChain.customerId),
  eq(auditEvents.id, auditChain.eventId),
)

/** Yields all links of a customer's chain in order; duplicates of a place, which only tampering can create, both. */
export async function* listChain(tx: Transaction, customerId: CustomerId): AsyncGenerator<Link> {
  for (let last: Link | undefined; ; ) {
    const { seq, eventId } = auditChain
    const beyond = last && sql`(${seq}, ${eventId}) > (${last.seq}, ${last.eventId}::bigint)`
    const rows = await tx
      .select({ ...link, event: entry })
      .from(auditChain)
      .leftJoin(auditEvents, ITS_EVENT)
      .where(and(eq(auditChain.customerId, customerId), beyond))
      .orderBy(asc(seq), asc(eventId))
      .limit(PORTION)
    for (const { event, ...row } of rows) {
      last = { ...row, event: event?.eventId ? event : undefined }
      yield last
    }
    if (rows.length < PORTION) return
  }
}

/** Returns the links after which older months were closed, the oldest first; and the head of the chain. */
export async function readBounds(tx: Transaction, customerId: CustomerId) {
  const { seq, digest } = auditClosings
  const closings = await tx
    .select({ seq, digest })
    .from(auditClosings)
    .where(eq(auditClosings.customerId, customerId))
    .orderBy(asc(seq))
  const chainHeads = await tx
    .select({ seq: auditHeads.seq, digest: auditHeads.digest })
    .from(auditHeads)
    .where(eq(auditHeads.customerId, customerId))
  return { closings, chainHead: chainHeads[0] }
}

/** Events examined per statement, which keeps it far below its limit of 3 s. */
const WINDOW = 20_000

/** Events without a link in a range of the history; `next` is the start of the next range, null at the end. */
type Stretch = { events: ChainedEvent[]; next: string | null }

/**
 * Returns events without a link that follow an id, in the order of their ids. Examines a long history range by range,
 * even if few events match.
 * @param asked.most largest number of returned events
 * @param asked.window largest number of examined events, with a link or without
 */
export async function listUnchained(
  tx: Transaction,
  customerId: CustomerId,
  { after, most, window = WINDOW }: { after: string | null; most: number; window?: number },
): Promise<Stretch> {
  const [end] = await tx
    .select({ id: sql<string>`${auditEvents.id}::text` })
    .from(auditEvents)
    .where(and(eq(auditEvents.customerId, customerId), within(auditEvents.id, after)))
    .orderBy(asc(auditEvents.id))
    .offset(window - 1)
    .limit(1)
  const events = await unchainedWithin(tx, customerId, { from: after, to: end?.id, most })
  const next = events.length < most ? end?.id : events.at(-1)?.eventId
  return { events, next: next ?? null }
}

function unchainedWithin(
  tx: Transaction,
  customerId: CustomerId,
  { from, to, most }: { from: string | null; to: string | undefined; most: number },
) {
  // Both sides are bounded, so that their join reads no link of an earlier range.
  const link = tx
    .select({ id: auditChain.eventId })
    .from(auditChain)
    .where(
      and(
        eq(auditChain.customerId, customerId),
        eq(auditChain.eventId, auditEvents.id),
        within(auditChain.eventId, from, to),
      ),
    )
  return tx
    .select(entry)
    .from(auditEvents)
    .where(and(eq(auditEvents.customerId, customerId), within(auditEvents.id, from, to), notExists(link)))
    .orderBy(asc(auditEvents.id))
    .limit(most)
}

/** Returns the SQL condition for ids after `from`, up to `to`. */
function within(id: typeof auditEvents.id | typeof auditChain.eventId, from: string | null, to?: string) {
  return and(
    from === null ? undefined : gt(id, BigInt(from)),
    to === undefined ? undefined : lte(id, BigInt(to)),
  )
}

/**
 * Backfill that appends an older release's events to the chain, after the existing links. When requested again, it adds
 * the events that processes of that release have written since.
 */
export const auditChaining: Backfill = {
  name: 'audit-chain',
  async batch(tx, customerId, range) {
    await tx.execute(sql`
      INSERT INTO audit_heads (customer_id, seq, event_id, at, digest)
      VALUES (${customerId}, 0, 0, statement_timestamp(), ${GENESIS}) ON CONFLICT DO NOTHING`)
    // Locked before events without a link are read: two concurrent batches would link them twice.
    const { rows } = await tx.execute<{ seq: string; digest: Buffer }>(sql`
      SELECT seq, digest FROM audit_heads WHERE customer_id = ${customerId} FOR UPDATE`)
    const chainHead = { seq: Number(rows[0]?.seq), digest: rows[0]?.digest ?? GENESIS }
    const { events, next } = await listUnchained(tx, customerId, range)
    const links = events.map((event) => {
      chainHead.seq += 1
      chainHead.digest = linkDigest(chainHead.digest, contentDigest(event), { ...event, seq: chainHead.seq })
      return { customerId, ...chainHead, eventId: BigInt(event.eventId) }
    })
    if (links.length > 0) {
      await tx.insert(auditChain).values(links)
      await tx.execute(sql`
        UPDATE audit_heads SET seq = ${chainHead.seq}, digest = ${chainHead.digest}, at = statement_timestamp()
        WHERE customer_id = ${customerId}`)
    }
    return { count: links.length, last: next }
  },
}
