import 'server-only'
import { readRenewals } from '#lib/costs/renewals/read.ts'
import { serializeRenewals } from '#lib/costs/renewals/serialize.ts'
import { scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { buckets } from '#lib/platform/caller/limits/buckets.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { countAnonymousRejection } from '#lib/platform/history/requests.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { calendarOf } from './calendar.ts'
import * as contract from './contract.ts'
import { type FeedOwner, findFeedOwner, newFeedSecret } from './secrets.ts'
import { maskedSecret, serializeFeed } from './serialize.ts'
import { readFeed, removeFeed, saveFeed } from './store.ts'

/** Keeps secrets out of caches. */
const NO_STORE = { 'Cache-Control': 'no-store' }

/** Calendars refresh some times a day: each link is limited per minute. */
const reads = buckets(10, 10)

export const readRenewalFeed = operation(contract.readRenewalFeed, async (caller) => {
  checkMember(caller)
  const row = await readScope(caller, (tx) => readFeed(tx, caller.customerId, caller.id))
  return { body: serializeFeed(row) }
})

export const makeRenewalFeed = operation(contract.makeRenewalFeed, async (caller, _, { requestId }) => {
  checkMember(caller)
  const secret = newFeedSecret()
  const feed = await scopeOfAuthority(caller, async (tx, now) => {
    checkPermission(now, contract.makeRenewalFeed.permission)
    const { customerId, id: memberId } = now
    const former = await readFeed(tx, customerId, memberId)
    await saveFeed(tx, customerId, { memberId, secret })
    const event = { action: 'calendar-feed.made', subject: memberId, actor: actorOf(now), requestId }
    const details = {
      link: maskedSecret(secret.slice(-4)),
      replaced: former && maskedSecret(former.lastFour),
    }
    await recordAudit(tx, customerId, { ...event, details })
    return serializeFeed(await readFeed(tx, customerId, memberId))
  })
  return { body: { feed, url: `${env().baseUrl}/calendar/${secret}.ics` }, headers: NO_STORE }
})

export const revokeRenewalFeed = operation(contract.revokeRenewalFeed, async (caller, _, { requestId }) => {
  checkMember(caller)
  await scopeOfAuthority(
    caller,
    async (tx, now) => {
      const { customerId, id: memberId } = now
      const former = await readFeed(tx, customerId, memberId)
      if (!former || !(await removeFeed(tx, customerId, memberId))) return
      const event = { action: 'calendar-feed.revoked', subject: memberId, actor: actorOf(now), requestId }
      await recordAudit(tx, customerId, { ...event, details: { link: maskedSecret(former.lastFour) } })
    },
    { evenIfClosed: true },
  )
  return { body: serializeFeed(undefined) }
})

/** Returns the calendar with the data that its member may see now. Every invalid link results in the same 404. */
export const readCalendar = operation(contract.readCalendar, async (_, { params }) => {
  const secret = params.secret.replace(/\.ics$/, '')
  const owner = await findFeedOwner(secret)
  if (!owner || !may(owner, 'licenses-manager')) {
    countAnonymousRejection('unknown-key')
    throw new Problem('not_found')
  }
  checkRateLimit(secret)
  return { body: Buffer.from(await calendarFor(owner)), headers: CALENDAR }
})

const CALENDAR = { ...NO_STORE, 'Content-Type': 'text/calendar; charset=utf-8' }

async function calendarFor(owner: FeedOwner): Promise<string> {
  const { customerId, customerName } = owner
  const { baseUrl } = env()
  const { today, renewals } = serializeRenewals(await readRenewals(owner), {}, baseUrl)
  return calendarOf(renewals, { customerId, customerName, baseUrl, today })
}

/** @throws Problem `rate_limited` */
function checkRateLimit(secret: string): void {
  const { wait } = reads.consume(secret)
  if (wait === 0) return
  const headers = { 'Retry-After': String(Math.ceil(wait / 1000)) }
  throw new Problem('rate_limited', 'This calendar is asked for too often.', { headers })
}

/** @throws Problem `permission_denied` for keys, which have no calendar */
function checkMember(caller: Caller): void {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'A calendar feed belongs to a signed-in member.')
}
