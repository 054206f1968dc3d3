import 'server-only'
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { getDomain } from 'tldts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { signOnDomains } from '#lib/platform/db/schema/access/sign-on.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { signOnSettings } from '../../settings.ts'
import { customersWithDueDomains } from '../due-work.ts'
import { notifyAdmins } from '../sign-ins/account-mail.ts'
import { findOwnerOf } from './find-provider.ts'

// A domain counts once its customer has proven it. Several customers may add one; the first that proves it owns it.

/** Returns the name and text of the TXT record that proves a domain. */
export function recordOf(domain: string, token: string): { name: string; text: string } {
  return { name: `_licenses-invoices.${domain}`, text: `licenses-invoices-sign-on=${token}` }
}

/** Returns the canonical form of a domain; undefined where it is not a mail domain. */
export function asDomain(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  const ascii = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : ''
  const isDomain = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(
    ascii,
  )
  return isDomain ? ascii : undefined
}

/**
 * Returns whether a domain is a public suffix, such as `co.uk` or `github.io`, whose subdomains belong to many owners.
 * By the Public Suffix List, as of the installed version of tldts.
 */
export function isPublicSuffix(domain: string): boolean {
  return getDomain(domain, { allowPrivateDomains: true }) === null
}

/** Lists the domains of the customer, with their provider's id. */
export function listDomains(tx: Transaction, customerId: CustomerId) {
  const { domain, providerId, token, provenAt, provenBy, lostAt } = signOnDomains
  const customerFilter = eq(signOnDomains.customerId, customerId)
  return tx
    .select({ domain, providerId, token, provenAt, provenBy, lostAt })
    .from(signOnDomains)
    .where(customerFilter)
    .orderBy(asc(domain))
}

export type DomainRow = Awaited<ReturnType<typeof listDomains>>[number]

/** Adds an unproven domain; an existing one is assigned to this provider, with its proof unchanged. */
export async function addDomain(
  tx: Transaction,
  customerId: CustomerId,
  { domain, providerId }: { domain: string; providerId: string },
): Promise<DomainRow> {
  const token = randomBytes(20).toString('hex')
  const target = [signOnDomains.customerId, signOnDomains.domain]
  const [row] = await tx
    .insert(signOnDomains)
    .values({ customerId, domain, providerId, token })
    .onConflictDoUpdate({ target, set: { providerId } })
    .returning()
  if (!row) throw new Error('The domain was not added.')
  return row
}

/** Marks the domain as proven by the customer. Fails with 23505 where another customer has it. */
export async function proveDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
  by: 'dns' | 'operator',
): Promise<void> {
  await tx
    .update(signOnDomains)
    .set({ provenAt: sql`now()`, provenBy: by, checkedAt: sql`now()`, lostAt: null })
    .where(and(eq(signOnDomains.customerId, customerId), eq(signOnDomains.domain, domain)))
}

/** Removes a domain: its members can't sign in by a provider any more. @returns whether it existed */
export async function removeDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
): Promise<boolean> {
  const domainFilter = and(eq(signOnDomains.customerId, customerId), eq(signOnDomains.domain, domain))
  return (await tx.delete(signOnDomains).where(domainFilter)).rowCount === 1
}

/**
 * Returns whether the DNS of a domain has the record that proves it. Uses the name servers of SIGN_ON_DNS, else this
 * machine's.
 * @throws Error where no name server answers
 */
export async function isInDns(domain: string, token: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const { nameServers } = signOnSettings()
  if (nameServers.length > 0) resolver.setServers(nameServers)
  const { name, text } = recordOf(domain, token)
  try {
    const records = await resolver.resolveTxt(name)
    return records.some((parts) => parts.join('').trim() === text)
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** Grace period in days of a domain whose record is missing, after its Admins were notified. */
const LOST_DAYS = 7

/** Returns the customer's domains whose record was last queried more than 20 hours ago, with its token. */
function dueDomains(tx: Transaction, customerId: CustomerId) {
  const { domain, token, checkedAt } = signOnDomains
  const isDue = sql`(${checkedAt} IS NULL OR ${checkedAt} < now() - interval '20 hours')`
  return tx
    .select({ domain, token })
    .from(signOnDomains)
    .where(and(dnsVerifiedFilter(customerId), isDue))
}

/**
 * Locks a domain that was proven by its DNS record until the transaction ends.
 * @param days grace period of a lost one
 */
async function lockDomain(tx: Transaction, customerId: CustomerId, domain: string, days: number) {
  const { lostAt } = signOnDomains
  const rows = await tx
    .select({
      isLost: sql<boolean>`${lostAt} IS NOT NULL`,
      // Without this domain no member could sign in: passwords are off, and no other domain has an issuer.
      isLastSignInMethod: sql<boolean>`EXISTS (SELECT FROM customers c WHERE c.id = ${customerId} AND c.sign_on_only_since IS NOT NULL)
        AND NOT EXISTS (SELECT FROM sign_on_domains other
          JOIN identity_providers i ON i.customer_id = other.customer_id AND i.id = other.provider_id AND i.off_at IS NULL
          WHERE other.customer_id = ${customerId} AND other.domain <> ${domain} AND other.proven_at IS NOT NULL)`,
      isOver: sql<boolean>`coalesce(${lostAt} < now() - make_interval(days => ${days}::int), false)`,
    })
    .from(signOnDomains)
    .where(and(dnsVerifiedFilter(customerId), eq(signOnDomains.domain, domain)))
    .for('update')
  return rows[0]
}

const AFTER = {
  there: { checkedAt: sql`now()` },
  found: { checkedAt: sql`now()`, lostAt: null },
  lost: { checkedAt: sql`now()`, lostAt: sql`coalesce(lost_at, now())` },
  // The domain finds no issuer from now on, and another customer may prove it.
  ended: { checkedAt: null, lostAt: null, provenAt: null, provenBy: null },
}

/** Stores the result of a check of a domain's record. */
async function noteDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
  state: keyof typeof AFTER,
): Promise<void> {
  await tx
    .update(signOnDomains)
    .set(AFTER[state])
    .where(and(eq(signOnDomains.customerId, customerId), eq(signOnDomains.domain, domain)))
}

function dnsVerifiedFilter(customerId: CustomerId) {
  const { provenAt, provenBy } = signOnDomains
  return and(eq(signOnDomains.customerId, customerId), eq(provenBy, 'dns'), isNotNull(provenAt))
}

/** Outcome of a check of a domain's record. */
type DomainState = 'there' | 'lost' | 'found' | 'ended'

/**
 * Checks once a day whether the DNS still has the records by which domains were proven. Notifies the Admins of a
 * missing record; after seven days the domain is unproven, and has to be proven again. Domains that the operator
 * confirmed are skipped. With passwords off, the last domain stays lost instead, because no member could sign in
 * without it, until another customer proves it (`releaseLost`). Where no name server answers, the state is unchanged,
 * and the next run retries.
 * @returns how many domains were lost, found again or ended
 */
export async function recheckDomains(requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const customerId of await customersWithDueDomains()) {
    for (const { domain, token } of await scope(
      { customerId },
      (tx) => dueDomains(tx, customerId),
      EVEN_IF_CLOSED,
    )) {
      if (signal.aborted) return count
      const isThere = await isInDns(domain, token).catch((error: unknown) => {
        log().warn(
          { requestId, customerId, domain, reason: reasonOf(error) },
          'record of a domain not looked for',
        )
      })
      if (isThere === undefined) continue
      const note = (tx: Transaction) => recheckDomain(tx, customerId, domain, { isThere, requestId })
      const state = await scope({ customerId }, note, EVEN_IF_CLOSED)
      if (state === 'there') continue
      count += 1
      if (state !== 'found') log().warn({ requestId, customerId, domain }, LOG_MESSAGES[state])
    }
  }
  return count
}

/** Members also sign in to a closed customer. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

const LOG_MESSAGES = {
  lost: 'the DNS record of a domain is missing',
  ended: 'a domain is not proven any more: single sign-on does not find it',
}

async function recheckDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
  { isThere, requestId }: { isThere: boolean; requestId: string },
): Promise<DomainState> {
  const row = await lockDomain(tx, customerId, domain, LOST_DAYS)
  // Removed, confirmed or ended by another process since.
  if (!row) return 'there'
  const state = domainStateOf(isThere, row)
  await noteDomain(tx, customerId, domain, state)
  if (state === 'lost' && row.isLost) return 'there'
  if (state === 'there') return state
  const event = { action: `sign-on-domain.${state}`, subject: domain, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: { by: 'daily look at the DNS' } })
  if (state !== 'found') await notifyAdmins(tx, customerId, `domain-${state}`, domain)
  return state
}

type Row = { isLost: boolean; isOver: boolean; isLastSignInMethod: boolean }

function domainStateOf(isThere: boolean, { isLost, isOver, isLastSignInMethod }: Row): DomainState {
  if (isThere) return isLost ? 'found' : 'there'
  return isOver && !isLastSignInMethod ? 'ended' : 'lost'
}

/**
 * Runs after a customer has shown its record in the DNS of a domain: ends the proof of another customer whose own
 * record has been missing for seven days and still is, even where the domain was kept as its last sign-in method. Its
 * Admins are notified, and its passwords stay off: the domain's new owner reads the mail that is sent to it, so the
 * operator verifies the former members and lets them in (decision 113). Domains that the operator confirmed are kept.
 */
export async function releaseLost(domain: string, newOwner: CustomerId, requestId: string): Promise<void> {
  const owner = await findOwnerOf(domain)
  if (owner === undefined || owner === newOwner) return
  const domains = await readScope({ customerId: owner }, (tx) => listDomains(tx, owner))
  const row = domains.find((one) => one.domain === domain)
  if (!row || row.lostAt === null || (await isInDns(domain, row.token))) return
  const end = async (tx: Transaction) => {
    if (!(await lockDomain(tx, owner, domain, LOST_DAYS))?.isOver) return false
    await noteDomain(tx, owner, domain, 'ended')
    const event = { action: 'sign-on-domain.ended', subject: domain, actor: OPERATOR, requestId }
    await recordAudit(tx, owner, { ...event, details: { by: 'proof of another customer' } })
    await notifyAdmins(tx, owner, 'domain-ended', domain)
    return true
  }
  if (await scope({ customerId: owner }, end, { evenIfClosed: true }))
    log().warn(
      { requestId, customerId: owner, domain },
      'a domain went to another customer, who has proven it',
    )
}
