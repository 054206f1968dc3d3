import 'server-only'
import { randomUUID } from 'node:crypto'
import { callbackOf } from '#lib/identity/access/sign-on/code-flow.ts'
import * as domains from '#lib/identity/access/sign-on/domains.ts'
import { inspectEndpoints } from '#lib/identity/access/sign-on/issuer.ts'
import { checkIssuerAddress } from '#lib/identity/access/sign-on/outbound.ts'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { lockMembers, memberWith } from '#lib/identity/members/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { auditDetailsOf, ruleText } from './serialize.ts'

// Changes by the operator's command line. Unlike an Admin, an operator can't be locked out, and may confirm a domain
// without a DNS record.

/**
 * Adds the provider of this name or changes it, and turns it on.
 * @returns the address to which the issuer leads back
 * @throws Problem `invalid_request` for a missing value of a new provider, and for a forbidden address of the issuer
 */
export async function setProvider(
  customerId: CustomerId,
  name: string,
  values: store.ProviderValues,
): Promise<string> {
  if (values.issuer !== undefined) checkAddress(values.issuer)
  const id = await scope({ customerId }, async (tx) => {
    const before = await store.readProvider(tx, customerId, name)
    const changed = before ? before.id : await addProvider(tx, customerId, name, values)
    if (before) await store.changeProvider(tx, customerId, before, values)
    const details = { name, ...auditDetailsOf(values) }
    await record(tx, customerId, { action: 'identity-provider.set', subject: changed, details })
    return changed
  })
  return callbackOf(id)
}

function checkAddress(issuer: string): void {
  try {
    checkIssuerAddress(issuer)
  } catch (error) {
    throw new Problem('invalid_request', `"${issuer}" can be no issuer: ${reasonOf(error)}`)
  }
}

async function addProvider(
  tx: Transaction,
  customerId: CustomerId,
  name: string,
  values: store.ProviderValues,
): Promise<string> {
  const { issuer, clientId, clientSecret } = values
  if (!issuer || !clientId || !clientSecret)
    throw new Problem(
      'invalid_request',
      `There is no identity provider "${name}" yet. Give its --issuer, --client-id and --secret-file.`,
    )
  const scopes = values.scopes ?? ['openid', 'email', 'profile']
  return store.addProvider(tx, customerId, { ...values, name, issuer, clientId, clientSecret, scopes })
}

/** Returns all providers, each with the address to which it leads back, and whether passwords are allowed. */
export async function listProviders(tx: Transaction, customerId: CustomerId) {
  const passwords = (await store.isSignOnOnly(tx, customerId)) ? 'refused' : 'allowed'
  const all = await store.listProviders(tx, customerId)
  return all.map(({ id, name, issuer, clientId, scopes, verifiedClaim, joinRoles, mappings, offAt }) => ({
    ...{
      name,
      issuer,
      clientId,
      state: offAt === null ? 'on' : 'off',
      passwords,
      joinRoles: joinRoles ?? [],
    },
    ...{ mappings: mappings.map(ruleText), scopes, verifiedClaim, redirectUri: callbackOf(id) },
  }))
}

/** Returns what a provider's issuer publishes, and the address to which it leads back. @throws Problem */
export async function inspectProvider(customerId: CustomerId, name: string) {
  const { id, issuer } = await scope({ customerId }, (tx) => providerNamed(tx, customerId, name))
  const metadata = await inspectEndpoints(issuer).catch((error: unknown) => {
    throw new Problem('invalid_request', `${issuer} will not do: ${reasonOf(error)}`)
  })
  return { metadata, redirectUri: callbackOf(id) }
}

/**
 * Turns a provider off, and allows passwords again where no other provider is on.
 * @returns whether it allowed passwords again
 */
export async function disableProvider(customerId: CustomerId, provider: string): Promise<boolean> {
  return scope({ customerId }, async (tx) => {
    const { id, name } = await providerNamed(tx, customerId, provider)
    await store.disableProvider(tx, customerId, id)
    await record(tx, customerId, { action: 'identity-provider.turned-off', subject: id, details: { name } })
    const others = (await store.listProviders(tx, customerId)).filter(({ offAt }) => offAt === null)
    if (others.length > 0 || !(await store.isSignOnOnly(tx, customerId))) return false
    await store.setSignOnOnly(tx, customerId, false)
    await record(tx, customerId, { action: 'customer.passwords-allowed', subject: customerId })
    return true
  })
}

async function providerNamed(
  tx: Transaction,
  customerId: CustomerId,
  name: string,
): Promise<store.ProviderRow> {
  const row = await store.readProvider(tx, customerId, name)
  if (!row) throw new Problem('not_found', `${customerId} has no identity provider "${name}".`)
  return row
}

/**
 * Turns passwords off, and ends the sessions that they opened.
 * @throws Problem `invalid_request` where no Admin has signed in by single sign-on
 */
export async function requireSignOn(customerId: CustomerId, customerName: string): Promise<void> {
  await scope({ customerId }, async (tx) => {
    // A parallel removal of an Admin is serialized before or after this lock.
    await lockMembers(tx, customerId, [])
    if (!(await store.hasVerifiedAdmin(tx, customerId)))
      throw new Problem(
        'invalid_request',
        `No Admin of ${customerName} has signed in by single sign-on yet: if it did not work, no one could sign in.`,
      )
    await store.setSignOnOnly(tx, customerId, true)
    await record(tx, customerId, { action: 'customer.passwords-refused', subject: customerId })
  })
}

/** Allows passwords again. */
export async function allowPasswords(customerId: CustomerId): Promise<void> {
  await scope({ customerId }, async (tx) => {
    await store.setSignOnOnly(tx, customerId, false)
    await record(tx, customerId, { action: 'customer.passwords-allowed', subject: customerId })
  })
}

/**
 * Releases a member's subjects: the next sign-in with their address binds them again.
 * @returns false where the customer has no such member
 */
export async function releaseMember(customerId: CustomerId, email: string): Promise<boolean> {
  return scope({ customerId }, async (tx) => {
    const memberId = await memberWith(tx, customerId, email.trim())
    if (!memberId) return false
    const count = await releaseSubjects(tx, customerId, { memberId })
    const event = { action: 'sign-on.released', subject: memberId, details: { email } }
    if (count > 0) await record(tx, customerId, event)
    return true
  })
}

/** Adds a domain, or assigns it to another provider. @returns the DNS record to publish */
export async function addDomain(customerId: CustomerId, domainText: string, provider: string) {
  const domain = domainOf(domainText)
  if (domains.isPublicSuffix(domain))
    throw new Problem('invalid_request', `${domain} is a public suffix, under which many have domains.`)
  const row = await scope({ customerId }, async (tx) => {
    const { id, name } = await providerNamed(tx, customerId, provider)
    await record(tx, customerId, {
      ...{ action: 'sign-on-domain.added', subject: domain },
      details: { provider: name },
    })
    return domains.addDomain(tx, customerId, { domain, providerId: id })
  })
  return { domain, isVerified: row.provenAt !== null, record: domains.recordOf(domain, row.token) }
}

/**
 * Verifies a domain by its DNS record, even where another customer had the domain and lost its own record.
 * @throws Problem `invalid_request` without the record, `service_unavailable` without an answer; 23505 of the database
 * where another customer has the domain
 */
export async function verifyDomain(customerId: CustomerId, domainText: string): Promise<void> {
  const { domain, token } = await scope({ customerId }, (tx) => domainNamed(tx, customerId, domainText))
  const isThere = await domains.isInDns(domain, token).catch((error: unknown) => {
    throw new Problem('service_unavailable', `The DNS gave no answer: ${reasonOf(error)}`)
  })
  const { name, text } = domains.recordOf(domain, token)
  if (!isThere) throw new Problem('invalid_request', `There is no TXT record ${name} with "${text}" yet.`)
  await domains.releaseLost(domain, customerId, randomUUID())
  await setVerified(customerId, domain, 'dns')
}

/** Marks a domain as verified without a record. @throws as `verifyDomain` does for another customer's domain */
export async function confirmDomain(customerId: CustomerId, domainText: string): Promise<void> {
  await setVerified(customerId, domainText, 'operator')
}

async function setVerified(
  customerId: CustomerId,
  domainText: string,
  by: 'dns' | 'operator',
): Promise<void> {
  await scope({ customerId }, async (tx) => {
    const { domain, provenBy, lostAt } = await domainNamed(tx, customerId, domainText)
    // A domain confirmed by the operator stays confirmed; one that lost its DNS record is verified again.
    if (provenBy === 'operator' || (provenBy === by && lostAt === null)) return
    await domains.proveDomain(tx, customerId, domain, by)
    await record(tx, customerId, { action: 'sign-on-domain.proven', subject: domain, details: { by } })
  })
}

/** Removes a domain. @throws Problem `not_found` */
export async function removeDomain(customerId: CustomerId, domainText: string): Promise<void> {
  await scope({ customerId }, async (tx) => {
    const { domain } = await domainNamed(tx, customerId, domainText)
    await domains.removeDomain(tx, customerId, domain)
    await record(tx, customerId, { action: 'sign-on-domain.removed', subject: domain })
  })
}

/** Returns all domains, each with its provider's name and its DNS record. */
export async function listDomains(tx: Transaction, customerId: CustomerId) {
  const names = new Map((await store.listProviders(tx, customerId)).map(({ id, name }) => [id, name]))
  const all = await domains.listDomains(tx, customerId)
  return all.map(({ domain, providerId, provenAt, provenBy, lostAt, token }) => {
    const { name, text } = domains.recordOf(domain, token)
    return { domain, provider: names.get(providerId) ?? '', provenAt, provenBy, lostAt, record: name, text }
  })
}

async function domainNamed(
  tx: Transaction,
  customerId: CustomerId,
  domainText: string,
): Promise<domains.DomainRow> {
  const domain = domainOf(domainText)
  if (domains.isPublicSuffix(domain))
    throw new Problem('invalid_request', `${domain} is a public suffix, under which many have domains.`)
  const row = (await domains.listDomains(tx, customerId)).find((one) => one.domain === domain)
  if (!row) throw new Problem('not_found', `The domain ${domain} was not added.`)
  return row
}

/** Returns the domain in its stored form. @throws Problem `invalid_request` */
function domainOf(text: string): string {
  const domain = domains.asDomain(text)
  if (domain === undefined) throw new Problem('invalid_request', `"${text}" is no domain of mail addresses.`)
  return domain
}

function record(
  tx: Transaction,
  customerId: CustomerId,
  event: { action: string; subject: string; details?: Record<string, string | number | string[] | null> },
): Promise<void> {
  return recordAudit(tx, customerId, { ...event, actor: OPERATOR, requestId: randomUUID() })
}
