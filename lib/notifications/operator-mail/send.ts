import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { openChanges } from '#lib/identity/access/due-work.ts'
import { readUnresolved, type UnresolvedChange } from '#lib/licenses/license-changes/by-hand.ts'
import { forEach } from '#lib/licenses/license-changes/vendor-sync/for-each.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver } from '#lib/platform/mail/mailer.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { messageOf } from './message.ts'
import { operatorSettings } from './settings.ts'

/**
 * Tells the operators of changes that somebody should look at: those that are unclear, and those that are open for longer
 * than their vendor may be late. Of each at most once a day; where there is nothing to tell, nothing is sent. Nothing
 * either where no mail server or no operator is configured. Safe to run in several processes at once.
 * @returns of how many changes was told
 * @throws Error where no operator could be told: the next run tries again
 */
export async function notifyOperators(requestId: string, signal: AbortSignal): Promise<number> {
  const mail = mailSettings()
  const operators = operatorSettings()
  if (!mail || operators.length === 0 || signal.aborted) return 0
  const changes = await claimed()
  if (changes.length === 0) return 0
  const failure = await send(mail, changes, requestId).catch((error: unknown) => String(error))
  if (failure === undefined) return changes.length
  await forCustomers(changes, async (customerId, ids) => {
    await scope({ customerId }, (tx) => giveBack(tx, customerId, ids), EVEN_IF_CLOSED)
  })
  throw new Error(`The operators could not be told: ${failure}`)
}

/** What is unclear does not become clear when its customer is closed. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

/** Whoever dies from here on has told nobody until the next day: better once too rarely than a mail without end. */
async function claimed(): Promise<UnresolvedChange[]> {
  const overdue: UnresolvedChange[] = []
  await forEach(await openChanges(), async (due) => {
    const one = await readUnresolved(due)
    if (one?.isOverdue) overdue.push(one)
  })
  const mine = new Set<string>()
  await forCustomers(overdue, async (customerId, ids) => {
    const claims = await scope({ customerId }, (tx) => claimChanges(tx, customerId, ids), EVEN_IF_CLOSED)
    for (const id of claims) mine.add(id)
  })
  return overdue.filter(({ change }) => mine.has(change.id))
}

/** @returns why nobody was told; undefined where somebody was, or may have been */
async function send(
  mail: MailConfig,
  changes: UnresolvedChange[],
  requestId: string,
): Promise<string | undefined> {
  const message = messageOf(changes)
  const id = `operator.${randomUUID()}`
  const ends: Delivery[] = []
  for (const to of operatorSettings()) ends.push(await deliver(mail, to, message, id))
  const failed = ends.flatMap((end) => ('reason' in end ? [end] : []))
  for (const { kind, reason } of failed) log().warn({ requestId, kind, reason }, 'operator not told')
  const wasSent = ends.some(({ kind }) => kind === 'sent' || kind === 'unknown')
  return wasSent ? undefined : failed.map(({ reason }) => reason).join('; ')
}

async function forCustomers(
  changes: readonly UnresolvedChange[],
  work: (customerId: CustomerId, ids: string[]) => Promise<void>,
): Promise<void> {
  for (const [customerId, customerChanges] of Map.groupBy(changes, (one) => one.customerId))
    await work(
      customerId,
      customerChanges.map(({ change }) => change.id),
    )
}

const { customerId: customer, id, operatorToldAt } = licenseChanges

/** What is to be told again is told together, early in the day; not what was told less than a day before, or nearly. */
const SIX_TODAY = sql`date_trunc('day', now() - interval '6 hours') + interval '6 hours'`
const IS_DUE = sql`(${operatorToldAt} is null or ${operatorToldAt} < least(now() - interval '20 hours', ${SIX_TODAY}))`

/**
 * Takes on those of some changes of which operators are to be told now, before they are: of two processes that find the
 * same ones, one has each.
 * @returns their ids
 */
async function claimChanges(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .update(licenseChanges)
    .set({ operatorToldAt: sql`now()` })
    .where(and(changesFilter(customerId, ids), IS_DUE))
    .returning({ id })
  return rows.map((row) => row.id)
}

/** Gives changes back of which surely nobody was told. */
async function giveBack(tx: Transaction, customerId: CustomerId, ids: readonly string[]): Promise<void> {
  await tx.update(licenseChanges).set({ operatorToldAt: null }).where(changesFilter(customerId, ids))
}

/** What is settled meanwhile is history, and left as it is. */
function changesFilter(customerId: CustomerId, ids: readonly string[]) {
  const isUnresolved = sql`${licenseChanges.state} in ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR')`
  return and(eq(customer, customerId), inArray(id, [...ids]), isUnresolved)
}
