import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '../rules.ts'
import { type Budget, budget, type Lease, WINDOW_SECONDS } from './budget.ts'
import { limitFields, secondsLeft } from './fields.ts'
import type { Kind } from './kind.ts'
import { limitSettings } from './settings.ts'
import { takeShare } from './store.ts'

/** So many limits are held at once; one that is forgotten is asked for anew, and what it had unused is lost. */
const MOST_BUDGETS = 50_000

// With plain Next, routes may have copies of this module: they share what the process holds.
const slot = globalThis as typeof globalThis & { licensesInvoicesBudgets?: Map<string, Budget> }

/** That a limit is used up: its name, as `RateLimit-Policy` has it, and what the caller is told. */
export type Refusal = { limit: string; problem: Problem }

/**
 * Counts a request of this caller, before anything else is done for it.
 * @param kind beside the requests that each is
 * @returns the header fields that its answer has; or a refusal, where one of its limits is used up: it counts for none then
 */
export async function spend(
  caller: Caller,
  kind: Kind,
): Promise<{ fields: Record<string, string> } | { refused: Refusal }> {
  const kinds: Kind[] = kind === 'requests' ? ['requests'] : ['requests', kind]
  const limits = kinds.flatMap((kind) => [
    { kind, policy: kind, of: budgetOf(caller, kind, callerName(caller)) },
    { kind, policy: `customer-${kind}`, of: budgetOf(caller, kind, undefined) },
  ])
  // Those that are in hand are taken at once: most requests wait for nothing here.
  const asked = limits.map(({ of }) => of.take())
  const leases = asked.some((one) => one instanceof Promise)
    ? await allTaken(limits, asked)
    : (asked as (Lease | undefined)[])
  const standings = limits.flatMap(({ policy, of }, at) => {
    const lease = leases[at] ?? of.state()
    return lease ? [{ policy, lease }] : []
  })
  const refused = limits.findIndex((_, at) => leases[at] === undefined)
  if (refused < 0) return { fields: limitFields(standings) }
  takeBack(limits, leases)
  const limit = limits[refused] as (typeof limits)[number]
  return { refused: { limit: limit.policy, problem: tooMany(limit, limitFields(standings)) } }
}

/** All of them are waited for: what was counted is taken back where one could not be asked for. */
async function allTaken(
  limits: readonly { of: Budget }[],
  asked: readonly ReturnType<Budget['take']>[],
): Promise<(Lease | undefined)[]> {
  const settled = await Promise.allSettled(asked)
  const leases = settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
  const failed = settled.find((one) => one.status === 'rejected')
  if (!failed) return leases
  takeBack(limits, leases)
  throw failed.reason
}

function takeBack(limits: readonly { of: Budget }[], leases: readonly (Lease | undefined)[]): void {
  for (const [at, lease] of leases.entries()) if (lease) limits[at]?.of.giveBack(lease)
}

function callerName({ via, id, session }: Caller): string {
  return via === 'session' ? `session:${session}` : `${via}:${id}`
}

function budgetOf({ customerId }: Caller, kind: Kind, caller: string | undefined): Budget {
  slot.licensesInvoicesBudgets ??= new Map()
  const held = slot.licensesInvoicesBudgets
  const name = `${kind} ${customerId} ${caller ?? ''}`
  const known = held.get(name)
  if (known) return known
  const limits = limitSettings()
  const usual = { limit: limits[kind], together: limits.together }
  const subject = { customerId, kind, usual, ...(caller === undefined ? {} : { caller }) }
  const made = budget(usual.limit * (caller === undefined ? usual.together : 1), (asked) =>
    takeShare(subject, { ...asked, seconds: WINDOW_SECONDS }),
  )
  held.set(name, made)
  const [oldest] = held.keys()
  if (held.size > MOST_BUDGETS && oldest !== undefined) held.delete(oldest)
  return made
}

const WHAT: Record<Kind, string> = {
  requests: 'requests',
  changes: 'changes of licenses',
  exports: 'exports',
}

function tooMany(
  { kind, policy, of }: { kind: Kind; policy: string; of: Budget },
  fields: Record<string, string>,
): Problem {
  const lease = of.state()
  const whose = policy === kind ? 'A key or session' : 'All keys and sessions of a customer together'
  const number = (lease?.quota ?? 0).toLocaleString('en')
  const detail = `${whose} may have ${number} ${WHAT[kind]} a minute, and this minute's are used up.`
  const wait = lease ? secondsLeft(lease) : WINDOW_SECONDS
  return new Problem('rate_limited', detail, { headers: { ...fields, 'Retry-After': String(wait) } })
}
