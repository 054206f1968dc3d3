import 'server-only'
import { createHash } from 'node:crypto'

/** What an event says. Its place, its time and its digest are the chain's. */
export type Entry = {
  customerId: string
  action: string
  subject: string
  actorKind: string
  actorId: string
  actorName: string
  requestId: string
  session: string | null
  address: string | null
  agent: string | null
  details: Record<string, unknown>
}

/** What the first link of a chain follows. */
export const GENESIS = Buffer.alloc(32)

/** SHA-256 of what an event says: of its fields in this order as JSON, the keys of the details in theirs. */
export function contentDigest(entry: Entry): Buffer {
  const { customerId, action, subject, actorKind, actorId, actorName, requestId } = entry
  const { session, address, agent, details } = entry
  const who = [actorKind, actorId, actorName, requestId, session, address, agent]
  return sha256(JSON.stringify([customerId, action, subject, ...who, inOrder(details)]))
}

/** An event's place in the chain, the event's own id, and its time in whole microseconds since 1970. */
export type Place = { seq: number; eventId: string; micros: string }

/** The digest of a link: SHA-256 of the digest before it, of what the event says, and of its place. */
export function linkDigest(before: Buffer, content: Buffer, { seq, eventId, micros }: Place): Buffer {
  return sha256(Buffer.concat([before, content, Buffer.from(`${seq} ${eventId} ${micros}`)]))
}

/** A time as the chain writes it, in SQL. */
export const microsOf = (at: string) => `(extract(epoch FROM ${at}) * 1000000)::bigint`

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** The same value with the keys of its objects in one order: `jsonb` keeps them in another one than ours. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, inOrder(one)]),
  )
}
