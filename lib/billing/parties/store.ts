import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { parties } from '#lib/platform/db/schema/invoices/parties.ts'

/** The parties of an invoice, by their ids. */
export type FrozenParties = { sellerId: string; buyerId: string }

type Sides = { issuer: string; billingProfileId: string }

/**
 * Writes down who sells and who buys, as today's settings have it, for invoices that arrive in this transaction or
 * become issued. Equal content is one row, whose id is its digest; no row is ever changed. It is two statements for
 * all of them: give it a batch at a time.
 * @param invoices their billing profiles are the customer's
 * @returns the parties of each of them, by its issuer and billing profile
 */
export async function freezeParties(
  tx: Transaction,
  customerId: CustomerId,
  invoices: readonly Sides[],
): Promise<(invoice: Sides) => FrozenParties> {
  const issuers = new Set(invoices.map(({ issuer }) => issuer))
  const profiles = new Set(invoices.map(({ billingProfileId }) => billingProfileId))
  type Frozen = { side: keyof FrozenParties; key: string; id: string; content: string }
  const { rows } = await tx.execute<Frozen>(sql`
    WITH known AS (
      SELECT 'sellerId' AS side, given.name AS key, ${contentOf('s', SELLER)} AS content
      FROM unnest(${textsOf(issuers)}) AS given(name)
      LEFT JOIN issuers s ON s.customer_id = ${customerId} AND s.name = given.name
      UNION ALL
      SELECT 'buyerId', b.id, ${contentOf('b', BUYER)}
      FROM billing_profiles b WHERE b.customer_id = ${customerId} AND b.id = ANY (${textsOf(profiles)})
    )
    SELECT side, key, content::text, encode(sha256(convert_to(content::text, 'UTF8')), 'hex') AS id FROM known
    ORDER BY id`)
  const added = new Map(
    rows.map(({ id, content }) => [id, { customerId, id, content: sql`${content}::jsonb` }]),
  )
  if (added.size > 0)
    await tx
      .insert(parties)
      .values([...added.values()])
      .onConflictDoNothing()
  const ids = { sellerId: new Map<string, string>(), buyerId: new Map<string, string>() }
  for (const { side, key, id } of rows) ids[side].set(key, id)
  return ({ issuer, billingProfileId }) => {
    const [sellerId, buyerId] = [ids.sellerId.get(issuer), ids.buyerId.get(billingProfileId)]
    if (!sellerId || !buyerId) throw new Error('Parties are frozen for the invoices that were given.')
    return { sellerId, buyerId }
  }
}

// The migration that froze the parties of the first invoices writes the same content: a field that is added later
// is left out where it is not known, so that what was frozen before keeps its digest.
const BUYER = {
  name: 'name',
  address: 'address',
  postcode: 'postcode',
  city: 'city',
  country: 'country',
  taxId: 'tax_id',
  registration: 'registration',
}
const SELLER = { ...BUYER, bank: 'bank', iban: 'iban', bic: 'bic', account: 'account', terms: 'terms' }

/**
 * Returns the known fields as jsonb: PostgreSQL writes equal objects as equal text, whatever the order of their keys.
 */
function contentOf(table: 's' | 'b', fields: Record<string, string>): SQL {
  const pairs = Object.entries(fields).map(([field, column]) =>
    table === 's' && field === 'name' ? `'name', given.name` : `'${field}', ${table}.${column}`,
  )
  return sql.raw(`jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`)
}

// Sorted, so that two imports lock in one order.
const textsOf = (texts: Iterable<string>) => sql`${sql.param([...texts].sort())}::text[]`
