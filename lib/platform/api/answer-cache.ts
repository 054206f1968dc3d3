import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { AnyContract, CachePart } from './contract.ts'
import { cacheSettings } from './settings.ts'

/** Answer as it is sent again: its body in JSON, the headers that belong to it, and its ETag. */
export type CachedAnswer = { body: Buffer; headers: Record<string, string>; etag: string }

type Entry = { answer: CachedAnswer; validFor: string; bytes: number; customerId: string; name: string }

type Cache = {
  /** Entries of all customers, the least recently used first. */
  all: Map<string, Entry>
  bytes: number
  /** Names of the entries of each customer, the least recently used first, and their bytes. */
  customers: Map<string, { names: Set<string>; bytes: number }>
}

// Route bundles have copies of this module: they share the cache of the process.
const slot = globalThis as typeof globalThis & { licensesInvoicesAnswers?: Cache }
const cache = (): Cache => {
  slot.licensesInvoicesAnswers ??= { all: new Map(), bytes: 0, customers: new Map() }
  return slot.licensesInvoicesAnswers
}

/** Largest body that is cached, in bytes. */
const MAX_BODY_BYTES = 256 * 1024
/** Part of the cache that the answers of one customer may fill. */
const CUSTOMER_SHARE = 1 / 4
/** Memory that an entry takes in addition to its body and its name, in bytes; measured roughly. */
const ENTRY_BYTES = 1000

/** Key of an answer: its name, and the state that the answer is right for. */
export type CacheKey = { name: string; validFor: string; customerId: string }

/**
 * Returns the key of the answer to a question; undefined where it must not be: its contract does not allow it, or
 * the caller was found without a version.
 * @param question everything of the request that the answer depends on
 */
export function cacheKey(
  contract: Pick<AnyContract, 'name' | 'cachedBy'>,
  caller: Caller | undefined,
  question: string,
): CacheKey | undefined {
  const { cachedBy } = contract
  if (!cachedBy || !caller?.seenAt || cacheSettings().bytes === 0) return undefined
  const { version, today } = caller.seenAt
  const parts = cachedBy.map((part: CachePart) => PARTS[part](caller)).join('\n')
  return {
    name: `${contract.name}\n${caller.customerId}\n${question}\n${parts}`,
    validFor: cachedBy.includes('day') ? `${version} ${today}` : version,
    customerId: caller.customerId,
  }
}

const PARTS: Record<CachePart, (caller: Caller) => string> = {
  day: () => '',
  roles: ({ roles }) => [...roles].sort().join(' '),
  billingProfiles: ({ billingProfiles }) => billingProfiles.join(' '),
  member: ({ via, id }) => (via === 'session' ? id : ''),
}

/** Returns the cached answer of a key, if it is still right, and marks it as just used. */
export function readAnswer({ name, validFor, customerId }: CacheKey): CachedAnswer | undefined {
  const { all, customers } = cache()
  const entry = all.get(name)
  if (entry?.validFor !== validFor) return undefined
  all.delete(name)
  all.set(name, entry)
  const names = customers.get(customerId)?.names
  names?.delete(name)
  names?.add(name)
  return entry.answer
}

/**
 * Caches an answer that was computed after its caller was found. It may have been computed for a later version than
 * that of the key: then no caller is found with this version any more.
 */
export function storeAnswer({ name, validFor, customerId }: CacheKey, answer: CachedAnswer): void {
  if (answer.body.length > MAX_BODY_BYTES) return
  const limit = cacheSettings().bytes
  const { all, customers } = cache()
  drop(name)
  const bytes = answer.body.length + 2 * name.length + ENTRY_BYTES
  const customer = customers.get(customerId) ?? { names: new Set<string>(), bytes: 0 }
  customers.set(customerId, customer)
  all.set(name, { answer, validFor, bytes, customerId, name })
  customer.names.add(name)
  customer.bytes += bytes
  cache().bytes += bytes
  while (customer.bytes > limit * CUSTOMER_SHARE) drop(first(customer.names))
  while (cache().bytes > limit) drop(first(all.keys()))
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

/** Returns the number of cached answers and their bytes, for the metrics. */
export function cacheSize(): { answers: number; bytes: number } {
  return { answers: cache().all.size, bytes: cache().bytes }
}
