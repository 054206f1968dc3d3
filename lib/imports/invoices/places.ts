import 'server-only'
import { sql } from 'drizzle-orm'
import type { IssuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { slugOf } from '../focus/platforms.ts'
import type { NewInvoice } from '../schemas.ts'
import { rankOf, readStored } from './rows.ts'
import { keyOf, type StoredInvoice } from './stored.ts'

/** Invoice of a file under the name and number in the database, with the stored row. */
export type Placed = { incoming: NewInvoice; invoice: NewInvoice; stored: StoredInvoice | undefined }

type Key = Pick<StoredInvoice, 'issuer' | 'number'>

/**
 * Finds the stored row of each invoice: by the number, in any spelling of the issuer; for numbers of ours, by account,
 * period, currency and profile. The rows are locked.
 */
export async function readPlaces(
  tx: Transaction,
  customerId: CustomerId,
  batch: readonly NewInvoice[],
  names: IssuerNames,
): Promise<Placed[]> {
  const first = batch.map(({ issuer }) => names.nameOf(issuer))
  const spelled = batch.map(({ number }, at): Key[] =>
    names.spellingsOf(first[at] ?? '').map((spelling) => ({ issuer: spelling, number })),
  )
  const rowsByKey = await readStored(tx, customerId, spelled.flat())
  const best = (keys: readonly Key[]) =>
    keys.flatMap((key) => rowsByKey.get(keyOf(key)) ?? []).toSorted((a, b) => rankOf(a) - rankOf(b))[0]
  const stored = spelled.map(best)
  // Our numbers contain a digest of the spelling in the file, which may differ from the stored issuer: search the period.
  const unnumbered = batch.flatMap((invoice, at) => {
    const isStored = stored[at] !== undefined && rankOf(stored[at]) === 0
    return invoice.isNumbered === false && !isStored ? [{ invoice, at }] : []
  })
  for (const [at, other] of await readOfPeriods(tx, customerId, unnumbered, names)) stored[at] = other
  return batch.map((incoming, at) => {
    const { issuer, number } = stored[at] ?? { issuer: first[at] ?? incoming.issuer, number: incoming.number }
    const isUnchanged = issuer === incoming.issuer && number === incoming.number
    return {
      incoming,
      invoice: isUnchanged ? incoming : renamed(incoming, { issuer, number }),
      stored: stored[at],
    }
  })
}

/** An invoice under another spelling of its issuer. A platform that is made of the name follows it. */
function renamed(incoming: NewInvoice, { issuer, number }: Key): NewInvoice {
  const made = slugOf(incoming.issuer)
  const platformOf = (platform: string) => (platform === made ? slugOf(issuer) : platform)
  const lines = incoming.lines.map((line) => ({ ...line, type: platformOf(line.type) }))
  return { ...incoming, issuer, number, platform: platformOf(incoming.platform), lines }
}

/** Reads the invoices, except voided ones, of the periods of invoices that we number. */
async function readOfPeriods(
  tx: Transaction,
  customerId: CustomerId,
  asked: readonly { invoice: NewInvoice; at: number }[],
  names: IssuerNames,
): Promise<Map<number, StoredInvoice>> {
  const rows = asked.flatMap(({ invoice, at }) => {
    const { billingAccount, periodStart, periodEnd, currency, billingProfileId = 'default' } = invoice
    const period = { at, billingAccount, periodStart, periodEnd, currency, billingProfileId }
    return names.spellingsOf(invoice.issuer).map((issuer) => ({ ...period, issuer }))
  })
  if (rows.length === 0) return new Map()
  const found = await tx.execute<Key & { at: number }>(sql`
    SELECT given.at, found.* FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS given(at int, issuer text, "billingAccount" text, "periodStart" date, "periodEnd" date, currency text,
        "billingProfileId" text)
    CROSS JOIN LATERAL (
      SELECT issuer, number FROM invoices
      WHERE customer_id = ${customerId} AND billing_account = given."billingAccount"
        AND period_start >= given."periodStart" AND period_start <= given."periodStart" AND issuer = given.issuer
        AND NOT is_numbered AND period_end = given."periodEnd" AND currency = given.currency
        AND billing_profile_id = given."billingProfileId" AND document_state <> 'voided'
      ORDER BY period_start LIMIT 1) AS found
    ORDER BY given.at`)
  const stored = await readStored(tx, customerId, found.rows)
  return new Map(
    found.rows
      .flatMap((row) => {
        const one = stored.get(keyOf(row))
        return one ? [[row.at, one] as const] : []
      })
      .toReversed(),
  )
}
