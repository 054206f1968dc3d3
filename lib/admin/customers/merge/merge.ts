import { ImportRefused } from '#lib/imports/refused.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { OwnersWork } from '#lib/server/owner/as-owner.ts'
import { customerNamed } from '../../command.ts'
import { isAgreedTo } from '../../confirm.ts'
import { printRows } from '../../table.ts'
import { note } from '../../terminal.ts'
import { byOwner } from '../owners-work.ts'
import { standingOf } from '../standing.ts'
import { collisionsOf } from './collisions.ts'
import { copyAll } from './copy.ts'
import { type Merge, prepare, sizesOf } from './prepare.ts'
import { retire } from './retire.ts'

export type MergeOptions = {
  into: string
  /** A billing profile of the first, and its id in the second. */
  profile?: [string, string][]
  leaveMembers?: boolean
  dryRun?: boolean
  yes?: boolean
}

/**
 * Gives all that one customer has to another one, in one transaction. What went stays closed with its history, and is removed
 * as any closed customer is. docs/customers.md says what goes, and what stays.
 * @throws Problem that names what both have under one id: nothing is written then
 */
export async function mergeCustomers(given: string, options: MergeOptions): Promise<void> {
  const { into: target, profile = [], leaveMembers = false, dryRun = false, yes = false } = options
  const [from, into] = [await customerNamed(given), await customerNamed(target)]
  if (from.customerId === into.customerId)
    throw new Problem('invalid_request', `${given} and ${target} are one customer.`)
  const merge: Merge = {
    from: from.customerId,
    into: into.customerId,
    profiles: new Map(profile),
    leaveMembers,
  }
  const { sizes, isClosed } = await inSight(merge, async (owner) => {
    await refuseSpread(owner)
    await prepare(owner, merge)
    await refuseCollisions(owner, merge)
    const standing = await standingOf(owner, merge.from)
    return { sizes: await sizesOf(owner, merge), isClosed: standing.closedAt !== null }
  })
  printRows(sizes, {})
  if (dryRun) return note('Dry run: nothing was stored.')
  if (!isClosed)
    throw new Problem(
      'invalid_request',
      `${from.name} is open. Nobody may change it meanwhile: customers close ${from.customerId}`,
    )
  note(`All of this goes from ${from.name} to ${into.name}. It can not be taken back.`)
  if (!yes && !(await isAgreedTo(`Type ${from.customerId} to go on: `, [from.customerId])))
    throw new Problem('invalid_request', 'Nothing was changed.')
  await inSight(merge, (owner) => carryOut(owner, merge))
  note(`${into.name} has what ${from.name} had. The history of each stays its own, and names the other.`)
}

/** Two customers may lie on two machines there, and what is asked of both at once is asked of no machine. */
async function refuseSpread({ query }: OwnersWork): Promise<void> {
  const [found] = await query<{ spread: boolean }>("SELECT is_spread('invoices') AS spread")
  if (found?.spread)
    throw new Problem(
      'invalid_request',
      'Customers can not be merged in a database that Citus spreads over several machines: see deploy/citus/README.md. Nothing was changed.',
    )
}

function inSight<T>({ from, into }: Merge, work: (owner: OwnersWork) => Promise<T>): Promise<T> {
  return byOwner({ alone: [from], beside: [into] }, work)
}

async function carryOut(owner: OwnersWork, merge: Merge): Promise<void> {
  const { from, into } = merge
  const [leaving, receiving] = [await standingOf(owner, from), await standingOf(owner, into)]
  if (!leaving.closedAt || leaving.isGone || leaving.mergedInto !== null || receiving.closedAt)
    throw new Problem(
      'invalid_request',
      `${from} has to be closed and not gone nor merged, and ${into} open.`,
    )
  await prepare(owner, merge)
  await refuseCollisions(owner, merge)
  const sizes = await sizesOf(owner, merge)
  await retire(owner, merge)
  await copyAll(owner, merge)
  const details = Object.fromEntries(sizes.map(({ what, count }) => [what, Number(count)]))
  await owner.tell(from, { action: 'customer.merged-into', subject: from, details: { into, ...details } })
  const [head] = await owner.query<{ seq: string; digest: string }>(
    "SELECT seq::text, encode(digest, 'hex') AS digest FROM audit_heads WHERE customer_id = $1",
    [from],
  )
  // By this the one history vouches for the other.
  const chain = { 'chain place': head?.seq ?? '', 'chain digest': head?.digest ?? '' }
  await owner.tell(into, {
    action: 'customer.merged',
    subject: into,
    details: { from, ...chain, ...details },
  })
}

async function refuseCollisions(owner: OwnersWork, merge: Merge): Promise<void> {
  const problems = await collisionsOf(owner, merge)
  if (problems.length > 0) throw new ImportRefused(problems)
}
