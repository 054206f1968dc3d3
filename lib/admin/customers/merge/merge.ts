import { ImportError, type ImportProblem, MAX_PROBLEMS } from '#lib/imports/import-error.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import { customerNamed } from '../../command.ts'
import { isAgreedTo, note, printRows, UsageError } from '../../terminal.ts'
import { byOwner, readCustomerClosure } from '../owners-work.ts'
import { copyAll } from './copy.ts'
import { type Merge, prepare, sizesOf } from './prepare.ts'

export type MergeOptions = {
  into: string
  /** A billing profile of the first, and its id in the second. */
  profile?: [string, string][]
  leaveMembers?: boolean
  dryRun?: boolean
  yes?: boolean
}

/**
 * Moves all data of one customer to another, in one transaction. The source stays closed with its history, and is
 * removed like any closed customer. docs/operate/customers.md lists the moved data.
 * @throws Problem that names the ids used by both; then nothing is written
 */
export async function mergeCustomers(idOrDomain: string, options: MergeOptions): Promise<void> {
  const { into: target, profile = [], leaveMembers = false, dryRun = false, yes = false } = options
  const [from, into] = [await customerNamed(idOrDomain), await customerNamed(target)]
  if (from.customerId === into.customerId)
    throw new UsageError(`${idOrDomain} and ${target} are one customer.`)
  const merge: Merge = {
    from: from.customerId,
    into: into.customerId,
    profiles: new Map(profile),
    leaveMembers,
  }
  const { sizes, isClosed } = await inSight(merge, async (owner) => {
    await rejectDistributed(owner)
    await prepare(owner, merge)
    await rejectCollisions(owner, merge)
    const closure = await readCustomerClosure(owner, merge.from)
    return { sizes: await sizesOf(owner, merge), isClosed: closure.closedAt !== null }
  })
  printRows(sizes, {})
  if (dryRun) return note('Dry run: nothing was stored.')
  if (!isClosed)
    throw new Problem(
      'invalid_request',
      `${from.name} is open. Close it first, so that no one changes it: customers close ${from.customerId}`,
    )
  note(`All of this goes from ${from.name} to ${into.name}. It cannot be taken back.`)
  if (!yes && !(await isAgreedTo(`Type ${from.customerId} to go on: `, [from.customerId])))
    throw new Problem('invalid_request', 'Nothing was changed.')
  await inSight(merge, (owner) => carryOut(owner, merge))
  note(`${into.name} has what ${from.name} had. The history of each stays its own, and names the other.`)
}

/** Refuses a distributed database: two customers may be on two nodes, and statements across both can't be routed. */
async function rejectDistributed({ query }: OwnersWork): Promise<void> {
  const [row] = await query<{ spread: boolean }>("SELECT is_spread('invoices') AS spread")
  if (row?.spread)
    throw new Problem(
      'invalid_request',
      'Customers cannot be merged in a database that Citus spreads over several machines: see deploy/citus/README.md. Nothing was changed.',
    )
}

function inSight<T>({ from, into }: Merge, work: (owner: OwnersWork) => Promise<T>): Promise<T> {
  return byOwner({ alone: [from], related: [into] }, work)
}

async function carryOut(owner: OwnersWork, merge: Merge): Promise<void> {
  const { from, into } = merge
  const [leaving, receiving] = [
    await readCustomerClosure(owner, from),
    await readCustomerClosure(owner, into),
  ]
  if (!leaving.closedAt || leaving.isGone || leaving.mergedInto !== null || receiving.closedAt)
    throw new Problem(
      'invalid_request',
      `${from} has to be closed and not gone nor merged, and ${into} open.`,
    )
  await prepare(owner, merge)
  await rejectCollisions(owner, merge)
  const sizes = await sizesOf(owner, merge)
  await retire(owner, merge)
  await copyAll(owner, merge)
  const details = Object.fromEntries(sizes.map(({ what, count }) => [what, Number(count)]))
  await owner.addEvent(from, { action: 'customer.merged-into', subject: from, details: { into, ...details } })
  const [chainHead] = await owner.query<{ seq: string; digest: string }>(
    "SELECT seq::text, encode(digest, 'hex') AS digest FROM audit_heads WHERE customer_id = $1",
    [from],
  )
  // This event anchors the end of the other history.
  const chain = { 'chain place': chainHead?.seq ?? '', 'chain digest': chainHead?.digest ?? '' }
  await owner.addEvent(into, {
    action: 'customer.merged',
    subject: into,
    details: { from, ...chain, ...details },
  })
}

async function rejectCollisions(owner: OwnersWork, merge: Merge): Promise<void> {
  const problems = await collisionsOf(owner, merge)
  if (problems.length > 0) throw new ImportError(problems)
}

/** Returns the ids that both customers use: each is reported, none is resolved by guessing. */
async function collisionsOf({ query }: OwnersWork, merge: Merge): Promise<ImportProblem[]> {
  const rows = await query<{ subject: string; reason: string }>(`${COLLISIONS} LIMIT ${MAX_PROBLEMS}`, [
    merge.from,
    merge.into,
  ])
  return rows.map(({ subject, reason }) => ({ subject, reason }))
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
  'payment_url',
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

/**
 * Releases unique resources of the closed source: no member signs in, no key works, and no vendor subscription belongs
 * to it. The rows stay, because its history names them.
 */
async function retire({ write }: OwnersWork, { from, into }: Merge): Promise<void> {
  // Digests and subscriptions are unique over all customers.
  await write(
    "UPDATE api_keys SET digest = concat_ws(' ', 'merged', customer_id, id), revoked_at = now() WHERE customer_id = $1 AND id IN (SELECT id FROM going_keys)",
    [from],
  )
  await write('UPDATE api_keys SET revoked_at = now() WHERE customer_id = $1 AND revoked_at IS NULL', [from])
  await write('UPDATE members SET disabled_at = now() WHERE customer_id = $1 AND disabled_at IS NULL', [from])
  await write('DELETE FROM sessions WHERE customer_id = $1', [from])
  await write(
    "DELETE FROM look_ups WHERE customer_id = $1 AND (kind = 'session' OR kind = 'key' AND id IN (SELECT id FROM going_keys))",
    [from],
  )
  await write(
    `CREATE TEMP TABLE going_subscriptions ON COMMIT DROP AS SELECT id FROM vendor_subscriptions
     WHERE customer_id = $1 AND released_at IS NULL`,
    [from],
  )
  await write(
    'UPDATE vendor_subscriptions SET released_at = now(), next_read_at = NULL WHERE customer_id = $1 AND released_at IS NULL',
    [from],
  )
  await write('UPDATE customers SET merged_into = $2 WHERE id = $1', [from, into])
}
