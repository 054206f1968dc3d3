import { ImportError, type ImportProblem, MAX_PROBLEMS } from '#lib/imports/import-error.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import { customerNamed } from '../../command.ts'
import { isAgreedTo, note, printRows, UsageError } from '../../terminal.ts'
import { byOwner, readCustomerClosure } from '../owners-work.ts'
import { copyAll } from './copy.ts'
import { type Merge, type ProfileIds, prepare, sizesOf } from './prepare.ts'

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
    await rejectCollisions(owner, merge, await prepare(owner, merge))
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
  const profiles = await prepare(owner, merge)
  await rejectCollisions(owner, merge, profiles)
  const sizes = await sizesOf(owner, merge)
  await retire(owner, merge)
  await copyAll(owner, merge, profiles)
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

async function rejectCollisions(owner: OwnersWork, merge: Merge, profiles: ProfileIds): Promise<void> {
  const problems = [
    ...(await profileCollisions(owner, merge, profiles)),
    ...(await collisionsOf(owner, merge)),
  ]
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
}

async function profileCollisions(
  { query }: OwnersWork,
  { into }: Merge,
  profiles: ProfileIds,
): Promise<ImportProblem[]> {
  const rows = await query<{ id: string }>('SELECT id FROM billing_profiles WHERE customer_id = $1', [into])
  const present = new Set(rows.map(({ id }) => id))
  const problems: ImportProblem[] = []
  const first = new Map<string, string>()
  for (const [id, newId] of profiles) {
    const subject = `billing profile ${id}`
    if (present.has(newId))
      problems.push({ subject, reason: `both have "${newId}": add --profile ${id}=<new id>` })
    const other = first.get(newId)
    if (other === undefined) first.set(newId, id)
    else problems.push({ subject, reason: `gets the id "${newId}", as ${other} does` })
  }
  return problems
}

/** Returns the ids that both customers use: each is reported, none is resolved by guessing. */
async function collisionsOf({ query }: OwnersWork, { from, into }: Merge): Promise<ImportProblem[]> {
  const problems: ImportProblem[] = []
  for (const collision of COLLISIONS) {
    const rows = await query<{ subject: string; reason: string }>(`${collision} LIMIT ${MAX_PROBLEMS}`, [
      from,
      into,
    ])
    problems.push(...rows.map(({ subject, reason }) => ({ subject, reason })))
  }
  return problems
}

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

/** Statement about rows of both customers, `a` and `b`, which may be on two nodes: each is read separately. */
function collision(
  table: string,
  columns: string,
  [what, condition]: [what: string, condition: string],
): string {
  const rows = (parameter: string) =>
    `AS MATERIALIZED (SELECT ${columns} FROM ${table} WHERE customer_id = ${parameter})`
  return `WITH a ${rows('$1')}, b ${rows('$2')} SELECT ${what} FROM a JOIN b ON ${condition}`
}

const COLLISIONS = [
  collision('assets', 'id', ["'asset ' || a.id AS subject, 'both have it' AS reason", 'a.id = b.id']),
  collision('invoices', 'id', ["'invoice ' || a.id AS subject, 'both have it' AS reason", 'a.id = b.id']),
  collision('invoices', 'id, issuer, number, document_state', [
    "'invoice ' || a.id AS subject, 'both have the number ' || a.number || ' of ' || a.issuer AS reason",
    `a.id <> b.id AND a.issuer = b.issuer AND a.number = b.number AND ${VOIDED('a')} = ${VOIDED('b')}`,
  ]),
  collision('issuers', ['name', ...DETAILS].join(', '), [
    "'issuer ' || a.name AS subject, 'what is known of it differs: see issuers list' AS reason",
    `a.name = b.name AND ${detailsOf('a')} IS DISTINCT FROM ${detailsOf('b')}`,
  ]),
  `SELECT 'member ' || g.email AS subject, 'both have this member: disable one, or add --leave-members' AS reason
   FROM going_members g JOIN members b ON g.customer_id = $1 AND b.customer_id = $2 AND lower(b.email) = lower(g.email)`,
]

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
