import 'server-only'
import { and, type Column, eq, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value, written } from '#lib/platform/db/prepared-queries.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Owner, preparedForOwner, visibleTo } from './selection.ts'
import { wireId } from './wire-ids.ts'

/**
 * Invoice linked as a correction or replacement: `id` is its address, `number` the issuer's number, and `setOff` the
 * amount of the credit note that is set off against the other invoice, as exact decimal text; 0 where neither is a
 * credit note.
 */
export type Link = { id: string; number: string; setOff?: string }

/** Which others an invoice refers to, and which refer to it, as far as the caller may see them. */
export type DocumentLinks = {
  /** Valid version of the invoice that a credit note or correction is for; the voided one where there is no other. */
  corrects?: Link | undefined
  /** Oldest first. */
  correctedBy: Link[]
  /** The newest, where there are several. */
  replaces?: Link | undefined
  replacedBy?: Link | undefined
}

type Role = keyof DocumentLinks

/** Maximum number of links per role: an invoice rarely has two corrections. */
const MAX_LINKS = 50

/** Reads the links in one statement, each of whose parts names the customer and the billing profiles. */
const linksOf = preparedForOwner<{ rows: (Link & { role: Role })[] }>((tx, owner) => {
  const { id, number, issuer, documentState, corrects, replacedBy, createdAt, currency } = invoices
  const { balanceAmount, payableAmount } = invoices
  const usedOf = (balance: SQL | Column, payable: SQL | Column, unit: SQL | Column) =>
    sql`CASE WHEN ${balance} < 0 THEN coalesce(${payable}, ${balance}) - payable_of(${balance}, ${unit}) ELSE 0 END`
  const isOther = sql`${issuer} = one.issuer AND ${id} <> one.id`
  const oldest = sql`${createdAt}, ${id}`
  const newest = sql`${createdAt} DESC, ${id} DESC`
  const used: Partial<Record<Role, SQL>> = {
    corrects: usedOf(sql`one.balance_amount`, sql`one.payable_amount`, sql`one.currency`),
    correctedBy: usedOf(balanceAmount, payableAmount, currency),
  }
  const linked = (role: Role, how: SQL, sort: SQL) => sql`
    (SELECT ${sql.raw(`'${role}'`)} AS role, ${wireId} AS id, ${number}, (${used[role] ?? sql`0`})::text AS "setOff"
     FROM one JOIN ${invoices} ON ${and(...visibleTo(owner), how)}
     ORDER BY ${sort} LIMIT ${sql.raw(`${MAX_LINKS}`)})`
  return written(
    tx,
    sql`
    WITH one AS (
      SELECT ${id}, ${number}, ${issuer}, ${documentState}, ${corrects}, ${replacedBy},
        ${balanceAmount}, ${payableAmount}, ${currency}
      FROM ${invoices} WHERE ${and(...visibleTo(owner), eq(id, value('id')))})
    ${linked(
      'corrects',
      sql`${isOther} AND ${number} = one.corrects AND (${documentState} <> 'voided' OR ${replacedBy} IS NULL)`,
      sql`(${documentState} = 'voided'), ${newest}`,
    )}
    UNION ALL ${linked(
      'correctedBy',
      sql`${isOther} AND ${corrects} = one.number AND ${documentState} = 'issued'
        AND (one.document_state <> 'voided' OR one.replaced_by IS NULL)`,
      oldest,
    )}
    UNION ALL ${linked('replaces', sql`${replacedBy} = one.id`, newest)}
    UNION ALL ${linked('replacedBy', sql`${id} = one.replaced_by`, oldest)}`,
  )
})

/** The links of one invoice. */
export async function readLinks(tx: Transaction, owner: Owner, id: string): Promise<DocumentLinks> {
  const { rows } = await linksOf(tx, owner, { id })
  const byRole = (kind: Role) =>
    rows.filter(({ role }) => role === kind).map(({ role: _, ...link }): Link => link)
  const [corrected] = byRole('corrects')
  const [replaced] = byRole('replaces')
  const [successor] = byRole('replacedBy')
  return {
    corrects: corrected,
    correctedBy: byRole('correctedBy'),
    replaces: replaced,
    replacedBy: successor,
  }
}
