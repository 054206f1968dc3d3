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

/** A new key: `lic_`, 30 base62 characters (178 bits) and their CRC32, so that a typo costs no query. */
export function newApiKey(): string {
  return newSecret(KEY_PREFIX)
}

/** The same after another prefix, by which it is known what a secret is for. */
export function newSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${prefix}${random}${checksum(random)}`
}

/** Whether text can be a key at all: shape and checksum. Says nothing of whether it is one. */
export function hasApiKeyFormat(text: string): boolean {
  return hasSecretFormat(KEY_PREFIX, text)
}

/** The same after another prefix. */
export function hasSecretFormat(prefix: string, text: string): boolean {
  const randomPart = text.slice(prefix.length)
  if (!text.startsWith(prefix) || randomPart.length !== RANDOM + CHECK || !/^[0-9A-Za-z]+$/.test(randomPart))
    return false
  return randomPart.endsWith(checksum(randomPart.slice(0, RANDOM)))
}

/** What is stored of a key or of a session's id: its SHA-256. Both are random enough to need no salt. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** What people may see of a key: `lic_` and its last four characters. */
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

/** A new token for a directory: `scim_`, and what API keys have after theirs. */
export function newScimToken(): string {
  return newSecret(SCIM_PREFIX)
}

/** Whether text can be such a token at all: a typing error costs no query. */
export function hasScimTokenFormat(text: string): boolean {
  return hasSecretFormat(SCIM_PREFIX, text)
}

/** A credential that is looked up before a customer is known. */
type Kind = 'key' | 'session' | 'scim-token' | 'calendar-feed' | 'link'

/** The backfill of `look_ups`. Until it is finished, what is there may be missing there. */
const BACKFILL_NAME = 'look-ups'

type CredentialSource = {
  /** Which login looks it up. */
  pool: 'keys' | 'sessions' | 'signIn'
  /** How the release before looked it up, for as long as not all of them are in `look_ups`. */
  before: string
}

/** Each gives the customer, the id by which the row is found there, and the digest, of the digests in `$1`. */
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

/** Whose a credential is, and by which id its row is found there. */
export type CredentialRef = { customerId: CustomerId; id: string; digest: string }

const FILLED = `SELECT finished_at IS NOT NULL AS "isFilled" FROM backfills WHERE name = '${BACKFILL_NAME}'`

/** What was found to be filled stays so. */
const filled = new WeakSet<pg.Pool>()

/** Whether `look_ups` has whatever there is. */
async function areFilled(pool: pg.Pool): Promise<boolean> {
  if (filled.has(pool)) return true
  const [row] = await queryWithoutCustomerPipelined<{ isFilled: boolean }>(pool, FILLED, [])
  if (row?.isFilled) filled.add(pool)
  return row?.isFilled ?? false
}

/** Whose the credentials with these digests are, of whichever customers, also those that open nothing any more. */
export async function findAll(kind: Kind, digests: readonly string[]): Promise<CredentialRef[]> {
  if (digests.length === 0) return []
  const { pool: name, before } = KINDS[kind]
  const pool = database()[name]
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

/** Of each pool whose credentials were, for those that are used again and again. */
const cachedRefs = new WeakMap<pg.Pool, Map<string, CredentialRef>>()
const MAX_CACHED_REFS = 20_000

/**
 * The row of a credential, read with its customer in the statement. Whose it is this process remembers, so that its next use
 * costs one statement: a hint and no more, because the row is read each time, with the digest in the statement, too.
 * @param read reads the row; undefined where it is not there, or opens nothing
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
  // Where it is where it was, it opened nothing a moment ago.
  if (!ref || (ref.customerId === cachedRef?.customerId && ref.id === cachedRef.id)) return undefined
  const row = await read(ref)
  if (!row) return undefined
  poolCache.set(name, ref)
  const [oldest] = poolCache.keys()
  if (poolCache.size > MAX_CACHED_REFS && oldest !== undefined) poolCache.delete(oldest)
  return row
}

// Written by who writes the rows, in the same transaction. The triggers of the migration `look-ups` do the same for processes
// of the release before, until a later release drops them: they leave alone what is right already.

/**
 * Notes whose a new credential is, before its row is added.
 * @throws Error of the database, 23505, where it is another customer's
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

/** The same for a row that has, or had, another one: after it was written. */
export async function updateCredentialIndex(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind,
  ref: { digest: string; id: string },
): Promise<void> {
  await removeFromCredentialIndex(tx, customerId, kind, [ref.id])
  await addToCredentialIndex(tx, customerId, kind, ref)
}

/** The same for the address of a member who was added. Where the trigger has written it already, it is right. */
export async function noteAddress(
  tx: Transaction,
  customerId: CustomerId,
  { email, id }: { email: string; id: string },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO look_ups (kind, digest, customer_id, id)
    VALUES ('address', address_digest(${email}), ${customerId}, ${id}) ON CONFLICT DO NOTHING`)
}

/** Forgets those of rows that were removed. @param ids by which the customer's rows were found */
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

/** The memberships of an address: of each, the customer in the one list, and the member in the other. */
export type Memberships = { email: string; customers: string[]; ids: string[] }

/**
 * Where somebody with this address is a member. An address that nobody has gets an answer of the same shape, so that what
 * comes next is the same, too.
 * @param email in SQL, in any case of letters
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
 * Writes the look-ups of what was there before there were any. All of a customer at once: a thousand take some milliseconds,
 * and none of the rows is locked.
 */
export const credentialIndexBackfill: Backfill = {
  name: BACKFILL_NAME,
  async batch(tx) {
    // A customer with a hundred thousand members takes longer than a request may.
    await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
    const { rows } = await tx.execute<{ count: string }>(sql`SELECT fill_look_ups() AS count`)
    return { count: Number(rows[0]?.count ?? 0), last: null }
  },
}
