import 'server-only'
import { and, asc, eq, gt, lte, notExists, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { auditChain, auditClosings, auditEvents, auditHeads } from '#lib/platform/db/schema/history.ts'
import { type ChainPosition, contentDigest, type Entry, GENESIS, linkDigest, microsOf } from './audit.ts'

/** An event as far as its digest is made of it. */
export type ChainedEvent = Entry & Pick<ChainPosition, 'eventId' | 'micros'>
/** A link of the chain, and its event; undefined where that is gone. */
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

/** All links of a customer's chain, in its order; of two at one place, which nobody of ours makes, both. */
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

/** After which links older months were closed, the oldest first; and where the chain ends. */
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

/** So many events are looked at in one statement, which stays far below the 3 s that it may take. */
const WINDOW = 20_000

/** Events without a link in a stretch of the history; `next` is where the next one begins, null at the end. */
type Stretch = { events: ChainedEvent[]; next: string | null }

/**
 * Events without a link among those that follow an id, in the order of their ids. A long history is looked through
 * stretch by stretch, however few of them it has.
 * @param asked.most so many are given
 * @param asked.window of so many events at most, with a link or without
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
  // Both sides are bounded: a join of the two reads no link of an earlier window.
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

/** Ids beyond `from`, up to `to`. */
function within(id: typeof auditEvents.id | typeof auditChain.eventId, from: string | null, to?: string) {
  return and(
    from === null ? undefined : gt(id, BigInt(from)),
    to === undefined ? undefined : lte(id, BigInt(to)),
  )
}

/**
 * Gives what an older release wrote its place in the chain, after what is there already. Asked for again, it takes in
 * what processes of that release wrote since.
 */
export const auditChaining: Backfill = {
  name: 'audit-chain',
  async batch(tx, customerId, range) {
    await tx.execute(sql`
      INSERT INTO audit_heads (customer_id, seq, event_id, at, digest)
      VALUES (${customerId}, 0, 0, statement_timestamp(), ${GENESIS}) ON CONFLICT DO NOTHING`)
    // Locked before it is asked what has no link: two such batches at once would give it two.
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
