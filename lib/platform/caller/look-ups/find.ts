import 'server-only'
import type pg from 'pg'
import { database } from '#lib/platform/db/client.ts'
import type { CustomerId } from '../rules.ts'
import { lookUpTogether, minted } from '../store.ts'
import { KINDS, type Kind, LOOK_UPS } from './kinds.ts'

/** Whose a credential is, and by which id its row is found there. */
export type Found = { customerId: CustomerId; id: string; digest: string }

const FILLED = `SELECT finished_at IS NOT NULL AS "isFilled" FROM backfills WHERE name = '${LOOK_UPS}'`

/** What was found to be filled stays so. */
const filled = new WeakSet<pg.Pool>()

/** Whether `look_ups` has whatever there is. */
export async function areFilled(pool: pg.Pool): Promise<boolean> {
  if (filled.has(pool)) return true
  const [row] = await lookUpTogether<{ isFilled: boolean }>(pool, FILLED, [])
  if (row?.isFilled) filled.add(pool)
  return row?.isFilled ?? false
}

/** Whose the credentials with these digests are, of whichever customers, also those that open nothing any more. */
export async function findAll(kind: Kind, digests: readonly string[]): Promise<Found[]> {
  if (digests.length === 0) return []
  const { pool: name, before } = KINDS[kind]
  const pool = database()[name]
  const from = (await areFilled(pool))
    ? `SELECT customer_id, id, digest FROM look_ups WHERE kind = '${kind}' AND`
    : `${before} WHERE`
  const rows = await lookUpTogether<{ customer_id: string; id: string; digest: string }>(
    pool,
    `${from} digest = ANY($1) ORDER BY 1, 2`,
    [digests],
  )
  return rows.map(({ customer_id: customer, ...row }) => ({ ...row, customerId: minted(customer) }))
}

/** Of each pool whose credentials were, for those that are used again and again. */
const hints = new WeakMap<pg.Pool, Map<string, Found>>()
const MOST_HINTS = 20_000

/**
 * The row of a credential, read with its customer in the statement. Whose it is this process remembers, so that its next use
 * costs one statement: a hint and no more, because the row is read each time, with the digest in the statement, too.
 * @param read reads the row; undefined where it is not there, or opens nothing
 */
export async function findRow<Row>(
  kind: Kind,
  digest: string,
  read: (found: Found) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const pool = database()[KINDS[kind].pool]
  const known = hints.get(pool) ?? new Map<string, Found>()
  hints.set(pool, known)
  const name = `${kind} ${digest}`
  const hint = known.get(name)
  const hinted = hint && (await read(hint))
  if (hinted) return hinted
  known.delete(name)
  const [found] = await findAll(kind, [digest])
  // Where it is where it was, it opened nothing a moment ago.
  if (!found || (found.customerId === hint?.customerId && found.id === hint.id)) return undefined
  const row = await read(found)
  if (!row) return undefined
  known.set(name, found)
  const [oldest] = known.keys()
  if (known.size > MOST_HINTS && oldest !== undefined) known.delete(oldest)
  return row
}
