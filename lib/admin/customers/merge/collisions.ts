import { type ImportProblem, MOST_PROBLEMS } from '#lib/imports/refused.ts'
import type { OwnersWork } from '#lib/server/owner/as-owner.ts'
import type { Merge } from './prepare.ts'

/** What both customers have under one name: each is told, and nothing is guessed. */
export async function collisionsOf({ query }: OwnersWork, merge: Merge): Promise<ImportProblem[]> {
  const found = await query<{ subject: string; reason: string }>(`${COLLISIONS} LIMIT ${MOST_PROBLEMS}`, [
    merge.from,
    merge.into,
  ])
  return found.map(({ subject, reason }) => ({ subject, reason }))
}

const BOTH = (table: string, alias = 'a') =>
  `FROM ${table} ${alias} JOIN ${table} b ON ${alias}.customer_id = $1 AND b.customer_id = $2`
const VOIDED = (row: string) => `(CASE WHEN ${row}.document_state = 'voided' THEN ${row}.id ELSE '' END)`
const DETAILS = [
  'address',
  'postcode',
  'city',
  'country',
  'tax_id',
  'registration',
  'bank',
  'iban',
  'bic',
  'account',
  'terms',
]
const detailsOf = (row: string) => `(${DETAILS.map((column) => `${row}.${column}`).join(', ')})`

const COLLISIONS = `
  SELECT 'billing profile ' || g.id AS subject,
    'both have "' || g.new_id || '": add --profile ' || g.id || '=<new id>' AS reason
  FROM going_profiles g JOIN billing_profiles b ON b.customer_id = $2 AND b.id = g.new_id
  UNION ALL
  SELECT 'billing profile ' || min(id), 'two get the id "' || new_id || '"' FROM going_profiles
  GROUP BY new_id HAVING count(*) > 1
  UNION ALL
  SELECT 'asset ' || a.id, 'both have it' ${BOTH('assets')} AND a.id = b.id
  UNION ALL
  SELECT 'invoice ' || a.id, 'both have it' ${BOTH('invoices')} AND a.id = b.id
  UNION ALL
  SELECT 'invoice ' || a.id, 'both have the number ' || a.number || ' of ' || a.issuer
  ${BOTH('invoices')} AND a.id <> b.id AND a.issuer = b.issuer AND a.number = b.number AND ${VOIDED('a')} = ${VOIDED('b')}
  UNION ALL
  SELECT 'issuer ' || a.name, 'what is known of it differs: see issuers list'
  ${BOTH('issuers')} AND a.name = b.name AND ${detailsOf('a')} IS DISTINCT FROM ${detailsOf('b')}
  UNION ALL
  SELECT 'member ' || g.email, 'both have this member: disable one, or add --leave-members'
  FROM going_members g JOIN members b ON b.customer_id = $2 AND lower(b.email) = lower(g.email)`
