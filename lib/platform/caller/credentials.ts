import 'server-only'
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type SQL, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import type { CustomerId } from './rules.ts'
import { minted, queryWithoutCustomer, queryWithoutCustomerPipelined } from './store.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KEY_PREFIX = 'lic_'
const RANDOM = 30
const CHECK = 6

/** Returns a new key: `lic_`, 30 base62 characters (178 bits) and their CRC32, so that a typo costs no query. */
export function newApiKey(): string {
  return newSecret(KEY_PREFIX)
}

/** Returns a new secret like `newApiKey`, but with another prefix, which identifies the kind of secret. */
export function newSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${prefix}${random}${checksum(random)}`
}

/** Returns the secret of an Authorization header: `Bearer`, whatever its letter case, and the secret; else undefined. */
export function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/** Returns whether text has the shape and the checksum of an API key; such a key need not exist. */
export function hasApiKeyFormat(text: string): boolean {
  return hasSecretFormat(KEY_PREFIX, text)
}

/** Returns whether text has the shape and checksum of a secret with this prefix, like `hasApiKeyFormat`. */
export function hasSecretFormat(prefix: string, text: string): boolean {
  const randomPart = text.slice(prefix.length)
  if (!text.startsWith(prefix) || randomPart.length !== RANDOM + CHECK || !/^[0-9A-Za-z]+$/.test(randomPart))
    return false
  return randomPart.endsWith(checksum(randomPart.slice(0, RANDOM)))
}

/** Returns the stored digest of a key or session id: SHA-256. Both have enough entropy to need no salt. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Returns the visible part of a key: `lic_` and its last four characters. */
export function maskedKey(apiKey: string): { prefix: string; lastFour: string } {
  return { prefix: apiKey.slice(0, KEY_PREFIX.length + 4), lastFour: apiKey.slice(-4) }
}

function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let index = 0; index < CHECK; index++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const SCIM_PREFIX = 'scim_'

/** Returns a new SCIM token: `scim_`, followed by the same characters and checksum as an API key. */
export function newScimToken(): string {
  return newSecret(SCIM_PREFIX)
}

/** Returns whether text has the format of a SCIM token: a typing error costs no query. */
export function hasScimTokenFormat(text: string): boolean {
  return hasSecretFormat(SCIM_PREFIX, text)
}

/** Kind of credential that is looked up before the customer is known. */
type Kind = 'key' | 'session' | 'scim-token' | 'calendar-feed' | 'link'

/** Name of the backfill of `look_ups`. Existing rows may be missing there until it is complete. */
const BACKFILL_NAME = 'look-ups'

type CredentialSource = {
  /** Pool of the login that looks it up. */
  pool: 'keys' | 'sessions' | 'signIn'
  /** Query of the previous release, used until `look_ups` is complete. */
  before: string
}

/**
 * Queries by kind of credential. Each returns the customer, the row's id for that customer, and the digest, for the
 * digests in `$1`.
 */
const KINDS: Record<Kind, CredentialSource> = {
  key: { pool: 'keys', before: 'SELECT customer_id, id, digest FROM api_keys' },
  session: { pool: 'sessions', before: 'SELECT customer_id, digest AS id, digest FROM sessions' },
  'scim-token': { pool: 'keys', before: 'SELECT customer_id, id, digest FROM scim_tokens' },
  'calendar-feed': {
    pool: 'keys',
    before: 'SELECT customer_id, member_id AS id, digest FROM calendar_feeds',
  },
  link: { pool: 'signIn', before: 'SELECT customer_id, id, digest FROM account_links' },
}

/** Customer, row id and digest of a credential. */
export type CredentialRef = { customerId: CustomerId; id: string; digest: string }

const FILLED = `SELECT finished_at IS NOT NULL AS "isFilled" FROM backfills WHERE name = '${BACKFILL_NAME}'`

/** Pools whose backfill was seen complete, which is final. */
const filled = new WeakSet<pg.Pool>()

/** Returns whether the backfill of `look_ups` is complete. */
async function areFilled(pool: pg.Pool): Promise<boolean> {
  if (filled.has(pool)) return true
  const [row] = await queryWithoutCustomerPipelined<{ isFilled: boolean }>(pool, FILLED, [])
  if (row?.isFilled) filled.add(pool)
  return row?.isFilled ?? false
}

/**
 * Returns references to the credentials with these digests, of any customer and including credentials that are no
 * longer valid.
 * @param pool connections of the kind's login
 */
export async function findAll(
  kind: Kind,
  digests: readonly string[],
  pool = database()[KINDS[kind].pool],
): Promise<CredentialRef[]> {
  if (digests.length === 0) return []
  const { before } = KINDS[kind]
  const from = (await areFilled(pool))
    ? `SELECT customer_id, id, digest FROM look_ups WHERE kind = '${kind}' AND`
    : `${before} WHERE`
  const rows = await queryWithoutCustomerPipelined<{ customer_id: string; id: string; digest: string }>(
    pool,
    `${from} digest = ANY($1) ORDER BY 1, 2`,
    [digests],
  )
  return rows.map(({ customer_id: customer, ...row }) => ({ ...row, customerId: minted(customer) }))
}

/**
 * Like `findAll`, but on the connection for reports of leaks, which anonymous clients send: they take none from the
 * authentication of callers.
 */
export function findLeaked(kind: LeakKind, digests: readonly string[]): Promise<CredentialRef[]> {
  return findAll(kind, digests, database().leaks)
}

/** Kinds of credentials in reports of leaks, which one login looks up. */
type LeakKind = 'key' | 'scim-token' | 'calendar-feed'

/** Cache of references by pool, for credentials that are used again and again. */
const cachedRefs = new WeakMap<pg.Pool, Map<string, CredentialRef>>()
const MAX_CACHED_REFS = 20_000

/**
 * Returns the row of a credential, read with its customer in the statement. The process caches the customer, so that
 * the next use costs one statement. The cache is only a hint, because the row is read each time, with the digest in the
 * statement, too.
 * @param read reads the row; undefined if the row is missing or the credential is invalid
 */
export async function findRow<Row>(
  kind: Kind,
  digest: string,
  read: (ref: CredentialRef) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const pool = database()[KINDS[kind].pool]
  const poolCache = cachedRefs.get(pool) ?? new Map<string, CredentialRef>()
  cachedRefs.set(pool, poolCache)
  const name = `${kind} ${digest}`
  const cachedRef = poolCache.get(name)
  const hinted = cachedRef && (await read(cachedRef))
  if (hinted) return hinted
  poolCache.delete(name)
  const [ref] = await findAll(kind, [digest])
  // An unchanged place was just found invalid.
  if (!ref || (ref.customerId === cachedRef?.customerId && ref.id === cachedRef.id)) return undefined
  const row = await read(ref)
  if (!row) return undefined
  poolCache.set(name, ref)
  const [oldest] = poolCache.keys()
  if (poolCache.size > MAX_CACHED_REFS && oldest !== undefined) poolCache.delete(oldest)
  return row
}

// Called by the store that writes the row, in the same transaction. The triggers of the migration `look-ups` do the
// same for processes of the previous release, until a later release drops them; they skip rows that are already
// correct.

/**
 * Adds a new credential to the index, before its row is inserted.
 * @throws Error of the database, 23505, if another customer has the credential
 */
export async function addToCredentialIndex(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind,
  { digest, id }: { digest: string; id: string },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO look_ups (kind, digest, customer_id, id) VALUES (${kind}, ${digest}, ${customerId}, ${id})`)
}

/** Updates the index after a row has changed its credential, like `addToCredentialIndex` for a new row. */
export async function updateCredentialIndex(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind,
  ref: { digest: string; id: string },
): Promise<void> {
  await removeFromCredentialIndex(tx, customerId, kind, [ref.id])
  await addToCredentialIndex(tx, customerId, kind, ref)
}

/** Adds the address of a new member to the index. Where the trigger has written the address already, it is correct. */
export async function noteAddress(
  tx: Transaction,
  customerId: CustomerId,
  { email, id }: { email: string; id: string },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO look_ups (kind, digest, customer_id, id)
    VALUES ('address', address_digest(${email}), ${customerId}, ${id}) ON CONFLICT DO NOTHING`)
}

/**
 * Removes the credentials of deleted rows from the index.
 * @param ids ids under which the customer's rows were indexed
 */
export async function removeFromCredentialIndex(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind | 'address',
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    DELETE FROM look_ups WHERE customer_id = ${customerId} AND kind = ${kind} AND id = ANY(${sql.param(ids)}::text[])`)
}

/** Memberships of an address, as parallel lists of customers and member ids. */
export type Memberships = { email: string; customers: string[]; ids: string[] }

/**
 * Returns the memberships of an email address. An unknown address gets a result of the same shape, so that the
 * following steps take the same path (no account enumeration).
 * @param email SQL expression, in any letter case
 */
export async function findAddress(email: SQL): Promise<Memberships> {
  const from = (await areFilled(database().signIn))
    ? sql`look_ups WHERE kind = 'address' AND digest = address_digest(${email})`
    : sql`members WHERE lower(email) = lower(${email})`
  return queryWithoutCustomer('signIn', async (tx) => {
    const { rows } = await tx.execute<{ email: string; customer_id: string; id: string }>(
      sql`SELECT ${email}::text AS email, customer_id, id FROM ${from}`,
    )
    return {
      email: rows[0]?.email ?? '',
      customers: [...new Set(rows.map((row) => row.customer_id))],
      ids: [...new Set(rows.map((row) => row.id))],
    }
  })
}

/**
 * Backfill of `look_ups` for rows from before the index. Fills a customer in one batch: a thousand rows take some
 * milliseconds, and no row is locked.
 */
export const credentialIndexBackfill: Backfill = {
  name: BACKFILL_NAME,
  async batch(tx) {
    // A customer with a hundred thousand members exceeds the time of a request.
    await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
    const { rows } = await tx.execute<{ count: string }>(sql`SELECT fill_look_ups() AS count`)
    return { count: Number(rows[0]?.count ?? 0), last: null }
  },
}
