import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { withoutLicenses } from '#lib/platform/db/prepared-queries.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import type { AnyContract, CachePart } from './contract.ts'
import { cacheSettings } from './settings.ts'

/** Answer as it is sent again: its body in JSON, the headers that belong to it, and its ETag. */
export type CachedAnswer = {
  body: Buffer
  headers: Record<string, string>
  etag: string
  /** As in the operation's reply, for pages. */
  version?: string | undefined
  /** As in the operation's reply. */
  validUntil?: number | undefined
}

type Entry = { answer: CachedAnswer; validFor: string; bytes: number; customerId: string; name: string }

type Cache = {
  /** Entries of all customers, the least recently used first. */
  all: Map<string, Entry>
  bytes: number
  /** Names of the entries of each customer, the least recently used first, and their bytes. */
  customers: Map<string, { names: Set<string>; bytes: number }>
  counts: { hits: number; misses: number; evictions: number }
}

// Route bundles have copies of this module: they share the cache of the process.
const slot = globalThis as typeof globalThis & { licensesInvoicesAnswers?: Cache }
const cache = (): Cache => {
  slot.licensesInvoicesAnswers ??= {
    ...{ all: new Map(), bytes: 0, customers: new Map() },
    counts: { hits: 0, misses: 0, evictions: 0 },
  }
  return slot.licensesInvoicesAnswers
}

/** Largest body that is cached, in bytes. */
const MAX_BODY_BYTES = 256 * 1024
/** Part of the cache that the answers of one customer may fill. */
const CUSTOMER_SHARE = 1 / 4
/** Memory that an entry takes in addition to its body and its name, in bytes; measured roughly. */
const ENTRY_BYTES = 1000

/** Key of an answer: its name, and the state and the time (epoch milliseconds) that the answer is right for. */
export type CacheKey = { name: string; validFor: string; now: number; customerId: string }

/**
 * Returns the key of the answer to a question; undefined where it must not be: its contract does not allow it, or
 * the caller was found without a version.
 * @param question everything of the request that the answer depends on
 */
export function cacheKey(
  contract: Pick<AnyContract, 'name' | 'cachedBy' | 'showsLicenses'>,
  caller: Caller | undefined,
  question: string,
): CacheKey | undefined {
  const { cachedBy, showsLicenses } = contract
  if (!cachedBy || !caller?.seenAt || cacheSettings().bytes === 0) return undefined
  const { now } = caller.seenAt
  const version = showsLicenses ? caller.seenAt.version : withoutLicenses(caller.seenAt.version)
  let name = `${contract.name}\0${caller.customerId}\0${question}`
  for (const part of cachedBy as readonly CachePart[]) name += textOf(PARTS[part](caller))
  return {
    name,
    validFor: cachedBy.includes('day') ? `${version} ${Math.floor(now / DAY_MS)}` : version,
    now,
    customerId: caller.customerId,
  }
}

/** Returns a list as part of a name: no value has a NUL, which PostgreSQL's `text` can't hold. */
function textOf(list: readonly string[]): string {
  return `\0${list.length}\0${list.join('\0')}`
}

// The day is in `validFor`, so that answers of the day before take no memory.
const PARTS: Record<CachePart, (caller: Caller) => readonly string[]> = {
  day: () => [],
  roles: ({ roles }) => [...roles].sort(),
  billingProfiles: ({ billingProfiles }) => billingProfiles,
  member: (caller) => Object.values(memberOf(caller)),
}

/** Returns how a caller is seen by answers that depend on the member: a key is like any other one. */
export function memberOf({ via, id }: Caller): Pick<Caller, 'via' | 'id'> {
  return { via, id: via === 'session' ? id : '' }
}

/** Returns the cached answer of a key, if it is still right, and marks it as just used. */
export function readAnswer({ name, validFor, now, customerId }: CacheKey): CachedAnswer | undefined {
  const { all, customers, counts } = cache()
  const entry = all.get(name)
  if (entry?.validFor !== validFor || now >= (entry.answer.validUntil ?? Number.POSITIVE_INFINITY)) {
    counts.misses += 1
    return undefined
  }
  counts.hits += 1
  all.delete(name)
  all.set(name, entry)
  const names = customers.get(customerId)?.names
  names?.delete(name)
  names?.add(name)
  return entry.answer
}

/**
 * Caches an answer that was computed after its caller was found. It may have been computed for a later version than
 * that of the key: then no caller is found any more with the part of the version that the key has.
 */
export function storeAnswer({ name, validFor, customerId }: CacheKey, answer: CachedAnswer): void {
  const limit = cacheSettings().bytes
  const { all, customers } = cache()
  drop(name)
  const bytes = answer.body.length + 2 * name.length + ENTRY_BYTES
  // Others would be dropped for an answer that can't stay.
  if (answer.body.length > MAX_BODY_BYTES || bytes > limit * CUSTOMER_SHARE) return
  const customer = customers.get(customerId) ?? { names: new Set<string>(), bytes: 0 }
  customers.set(customerId, customer)
  all.set(name, { answer: { ...answer, body: unpooled(answer.body) }, validFor, bytes, customerId, name })
  customer.names.add(name)
  customer.bytes += bytes
  cache().bytes += bytes
  while (customer.bytes > limit * CUSTOMER_SHARE) evict(first(customer.names))
  while (cache().bytes > limit) evict(first(all.keys()))
}

/** Returns the bytes without the rest of a larger block, such as Node's pool of 8 KiB, which they would keep alive. */
function unpooled(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
}

function evict(name: string | undefined): void {
  cache().counts.evictions += 1
  drop(name)
}

function drop(name: string | undefined): void {
  const { all, customers } = cache()
  const entry = name === undefined ? undefined : all.get(name)
  if (!entry) return
  all.delete(entry.name)
  cache().bytes -= entry.bytes
  const customer = customers.get(entry.customerId)
  if (!customer) return
  customer.names.delete(entry.name)
  customer.bytes -= entry.bytes
  if (customer.names.size === 0) customers.delete(entry.customerId)
}

function first<T>(values: Iterable<T>): T | undefined {
  for (const value of values) return value
  return undefined
}

/** State of the cache for the metrics: its answers and their bytes now, and the counts of events since the start. */
export type CacheStats = { answers: number; bytes: number; hits: number; misses: number; evictions: number }

/** Returns the state of the process's cache. An eviction makes room for another answer. */
export function cacheStats(): CacheStats {
  const { all, bytes, counts } = cache()
  return { answers: all.size, bytes, ...counts }
}
