import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import type pg from 'pg'
import type { Transaction } from '#lib/platform/db/client.ts'
import { contentDigest, GENESIS, linkDigest } from './audit.ts'
import { type Link, listChain } from './chain-rows.ts'
import type { ChainViolation } from './verify.ts'

/**
 * Manipulation of a history by the database's owner, with its expected detection: one of `kinds`, at a place of `at`.
 */
export type Tampering = (owner: Owner) => Promise<{ kinds: ChainViolation['kind'][]; at: number[] }>

type Owner = {
  links: Required<Link>[]
  /** Runs a statement whose $1 is the customer. */
  run(query: string, ...values: unknown[]): Promise<unknown>
  /** Returns the links as they are now. */
  again(): Promise<Owner>
}

/** Returns the owner's access to one customer's history. The manipulation is not committed. */
export async function ownerOf(client: pg.Client, customerId: string): Promise<Owner> {
  const links: Required<Link>[] = []
  for await (const link of listChain(drizzle(client) as Transaction, customerId as never)) {
    links.push(link as Required<Link>)
  }
  return {
    links,
    run: (query, ...values) => client.query(query, [customerId, ...values]),
    again: () => ownerOf(client, customerId),
  }
}

const TEXTS = ['action', 'subject', 'actor_kind', 'actor_id', 'actor_name', 'request_id']
const CHANGES = [
  ...[...TEXTS, 'session', 'address', 'agent'].map((name) => `${name} = coalesce(${name}, '') || 'x'`),
  `details = details || '{"to": 4711}'`,
  "details = '{}'",
  "at = (at AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'", // Citus does not support date arithmetic with a time zone.
]
const ID = '(SELECT event_id FROM audit_chain WHERE customer_id = $1 AND seq = $2)'

const at = ({ links }: Owner, index: number) => 1 + (index % links.length)
const linkOf = (owner: Owner, seq: number) => owner.links[seq - 1] as Owner['links'][number]
const digestBefore = (owner: Owner, seq: number) => owner.links[seq - 2]?.digest ?? GENESIS

/** Moves links from a place on by some places; in two steps, because places are unique. */
async function shift(owner: Owner, from: number, by: number) {
  const links = 'UPDATE audit_chain SET seq'
  await owner.run(`${links} = -seq WHERE customer_id = $1 AND seq >= $2`, from)
  await owner.run(`${links} = -seq + $2 WHERE customer_id = $1 AND seq < 0`, by)
}

const position = fc.nat()

const edit = fc.tuple(position, fc.constantFrom(...CHANGES), fc.boolean()).map(
  ([k, change, isClever]): Tampering =>
    async (owner) => {
      const seq = at(owner, k)
      const isSame =
        change === "details = '{}'" && Object.keys(linkOf(owner, seq).event?.details ?? {}).length === 0
      const made = isSame ? "action = 'other.done'" : change
      await owner.run(`UPDATE audit_events SET ${made} WHERE customer_id = $1 AND id = ${ID}`, seq)
      if (!isClever) return { kinds: ['edited'], at: [seq] }
      // The recomputed digest fits, but the next link does not; either of the two could be the wrong one.
      const { event } = linkOf(await owner.again(), seq)
      const digest = event && linkDigest(digestBefore(owner, seq), contentDigest(event), { ...event, seq })
      await owner.run('UPDATE audit_chain SET digest = $3 WHERE customer_id = $1 AND seq = $2', seq, digest)
      return { kinds: ['edited', 'moved', 'written-anew'], at: [Math.min(seq + 1, owner.links.length)] }
    },
)

const remove = fc
  .tuple(position, fc.constantFrom('event', 'link', 'both', 'closed up', 'tail', 'tail and head'), fc.nat(4))
  .map(
    ([k, how, more]): Tampering =>
      async (owner) => {
        const seq = at(owner, k)
        const last = how.startsWith('tail') ? owner.links.length : seq
        const first = how.startsWith('tail') ? Math.max(1, last - more) : seq
        const range = 'customer_id = $1 AND seq BETWEEN $2 AND $3'
        const events = `DELETE FROM audit_events WHERE customer_id = $1 AND id IN (SELECT event_id FROM audit_chain WHERE ${range})`
        if (how !== 'link') await owner.run(events, first, last)
        if (how !== 'event') await owner.run(`DELETE FROM audit_chain WHERE ${range}`, first, last)
        if (how === 'closed up') await shift(owner, seq + 1, -1)
        if (how === 'tail and head') {
          const updateChainHead = 'UPDATE audit_heads SET seq = $2, digest = $3 WHERE customer_id = $1'
          await owner.run(updateChainHead, first - 1, digestBefore(owner, first))
        }
        const isLast = seq === owner.links.length
        return { kinds: how === 'closed up' && !isLast ? ['moved', 'edited'] : ['removed'], at: [first] }
      },
  )

const insert = fc.tuple(position, fc.constantFrom('event', 'wild', 'fitting', 'at the end')).map(
  ([k, how]): Tampering =>
    async (owner) => {
      const seq = how === 'at the end' ? owner.links.length + 1 : at(owner, k)
      const eventId = String(7_000_000_000_000_000 + (k % 1000))
      const added = `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name,
          request_id, details) OVERRIDING SYSTEM VALUE
        VALUES ($1, $2, 'epoch', 'key.revoked', 's', 'member', 'm', 'Planted', 'r', '{}')`
      await owner.run(added, eventId)
      if (how === 'event') return { kinds: ['unchained'], at: [] }
      const who = { actorKind: 'member', actorId: 'm', actorName: 'Planted', requestId: 'r' }
      const none = { session: null, address: null, agent: null, details: {} }
      const customerId = owner.links[0]?.event?.customerId ?? ''
      const content = contentDigest({ customerId, action: 'key.revoked', subject: 's', ...who, ...none })
      const fitting = linkDigest(digestBefore(owner, seq), content, { seq, eventId, micros: '0' })
      if (how !== 'at the end') await shift(owner, seq, 1)
      const link = 'INSERT INTO audit_chain VALUES ($1, $2, $3, $4)'
      await owner.run(link, seq, eventId, how === 'wild' ? Buffer.alloc(32, 7) : fitting)
      // Before the end, the following links show the insertion; at the end, it differs from the signed head.
      return { kinds: seq === owner.links.length ? ['inserted', 'written-anew'] : ['inserted'], at: [seq] }
    },
)

const reordering = fc.tuple(position, position, fc.constantFrom('links', 'events', 'contents', 'move')).map(
  ([one, other, how]): Tampering =>
    async (owner) => {
      const [i, j] = [at(owner, one), at(owner, other)].sort((a, b) => a - b) as [number, number]
      const [first, second] = i === j ? (i === 1 ? [1, 2] : [i - 1, i]) : [i, j]
      const [a, b] = [linkOf(owner, first), linkOf(owner, second)]
      const linkFilter = 'WHERE customer_id = $1 AND'
      if (how === 'links') {
        await owner.run(`UPDATE audit_chain SET seq = -1 ${linkFilter} seq = $2`, first)
        await owner.run(`UPDATE audit_chain SET seq = $2 ${linkFilter} seq = $3`, first, second)
        await owner.run(`UPDATE audit_chain SET seq = $2 ${linkFilter} seq = -1`, second)
      } else if (how === 'events') {
        await owner.run(`UPDATE audit_chain SET event_id = -1 ${linkFilter} seq = $2`, first)
        await owner.run(`UPDATE audit_chain SET event_id = $2 ${linkFilter} seq = $3`, a.eventId, second)
        await owner.run(`UPDATE audit_chain SET event_id = $2 ${linkFilter} seq = $3`, b.eventId, first)
      } else if (how === 'contents') {
        await owner.run(`UPDATE audit_events SET id = -1 ${linkFilter} id = $2`, a.eventId)
        await owner.run(`UPDATE audit_events SET id = $2 ${linkFilter} id = $3`, a.eventId, b.eventId)
        await owner.run(`UPDATE audit_events SET id = $2 ${linkFilter} id = -1`, b.eventId)
      } else {
        await owner.run(`UPDATE audit_chain SET seq = -1000000 ${linkFilter} seq = $2`, first)
        await shiftDown(owner, first + 1, second)
        await owner.run(`UPDATE audit_chain SET seq = $2 ${linkFilter} seq = -1000000`, second)
      }
      return { kinds: ['moved', 'edited', 'inserted'], at: [first] }
    },
)

async function shiftDown(owner: Owner, from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq++)
    await owner.run('UPDATE audit_chain SET seq = $2 WHERE customer_id = $1 AND seq = $3', seq - 1, seq)
}

export const tamperings: readonly fc.Arbitrary<Tampering>[] = [edit, remove, insert, reordering]
