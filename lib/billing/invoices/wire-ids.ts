import 'server-only'
import { and, eq, gt, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value } from '#lib/platform/db/prepared-queries.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Owner, preparedForOwner, visibleTo } from './selection.ts'

// A row's key never changes: history, files and foreign keys use it. It is the number, with its issuer before it where
// another issuer's had the number first, and with `~k` behind it for what came into the place of another row. On the wire an
// invoice has the bare number while it is valid, and `~k` once it was voided: a link leads to what is valid now.

const SUMMARY = 'charges:'

/**
 * SQL of an invoice's id on the wire.
 * @param row the name under which a statement has the row
 * @param customer SQL of the customer: a value where the statement locks rows or has lateral joins, as Citus requires
 */
export function wireIdOf(row: string, customer = sql.raw(`${row}.customer_id`)): SQL<string> {
  const isPlain = isPlainOf(row)
  const base = `regexp_replace(${row}.id, '~[0-9]+$', '')`
  // Before names were compared, two issuers with one slug shared a row of counts: the first one that is valid has the base.
  const isTaken = sql`EXISTS (SELECT FROM invoices o WHERE o.customer_id = ${customer} AND o.document_state <> 'voided'
    AND ${sql.raw(`(o.id = ${base} OR o.id > ${base} || '~' AND o.id < ${row}.id)`)})`
  return sql<string>`${sql.raw(`(CASE WHEN ${row}.document_state = 'voided' THEN
    CASE WHEN ${isPlain} THEN ${row}.id || '~1' ELSE ${row}.id END
    ELSE CASE WHEN ${row}.document_state = 'issued' AND ${row}.form = 'summary' AND ${row}.is_numbered THEN '${SUMMARY}' ELSE '' END
      || CASE WHEN ${isPlain} THEN ${row}.id WHEN`)} ${isTaken} ${sql.raw(`THEN ${row}.id ELSE ${base} END END)`)}`
}

/** Whether a key has no count behind it. An issuer's own number may end like one. */
function isPlainOf(row: string): string {
  return `(strpos(${row}.id, '~') = 0 OR ${row}.id = ${row}.number OR right(${row}.id, length(${row}.number) + 1) = ':' || ${row}.number)`
}

/** The id on the wire, of a statement that names no other table as `invoices`. */
export const wireId = wireIdOf('invoices')

type Version = { id: string; wireId: string; isPlain: boolean; isSummary: boolean }

/** All rows that have or had a number, or two numbers: one probe of the primary key for each. */
const versionsOf = preparedForOwner<Version[]>((tx, owner) => {
  const { id } = invoices
  const under = (name: string) => {
    const number = sql`${value(name)}::text`
    return or(eq(id, number), and(gt(id, sql`${number} || '~'`), lt(id, sql`${number} || '~:'`)))
  }
  return tx
    .select({
      id,
      wireId,
      isPlain: sql<boolean>`${sql.raw(isPlainOf('invoices'))}`,
      isSummary: sql<boolean>`${invoices.form} = 'summary'`,
    })
    .from(invoices)
    .where(and(...visibleTo(owner), or(under('asked'), under('base'))))
    .orderBy(id)
})

/**
 * Returns the key of the invoice that an id on the wire leads to: the valid one under its bare number, or one version of
 * it, `number~k`, valid or not. Where nothing is valid under a number, it is the last version. Undefined where the owner
 * has none.
 */
export async function findKey(tx: Transaction, owner: Owner, id: string): Promise<string | undefined> {
  const number = id.startsWith(SUMMARY) ? id.slice(SUMMARY.length) : id
  const [, base = number, version] = /^(.*)~(\d{1,9})$/.exec(number) ?? []
  const rows = await versionsOf(tx, owner, { asked: number, base })
  const exact = rows.find((row) => row.wireId === id) ?? rows.find((row) => row.wireId === SUMMARY + id)
  if (exact) return exact.id
  const versions = rows.map((row) => ({ ...row, ...versionOf(row) }))
  const one = version && versions.find((row) => row.version === Number(version) && row.base === base)
  if (one) return one.id
  const candidates = versions.filter((row) => row.base === number && (number === id || row.isSummary))
  return candidates.toSorted((a, b) => b.version - a.version)[0]?.id
}

function versionOf({ id, isPlain }: Version): { base: string; version: number } {
  const [, base = id, version = '1'] = (!isPlain && /^(.*)~(\d{1,9})$/.exec(id)) || []
  return { base, version: Number(version) }
}
