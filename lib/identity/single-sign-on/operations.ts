import 'server-only'
import { eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import * as domains from '#lib/identity/access/sign-on/domains.ts'
import { listDomains, releaseLost, removeDomain } from '#lib/identity/access/sign-on/domains.ts'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { signOnSessions } from '#lib/platform/db/schema/access/sign-on.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type AuditEvent, actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { checkIssuer } from '../access/sign-on/issuer.ts'
import type { Domain, ProviderChange, WireMapping } from './contract.ts'
import * as contract from './contract.ts'
import { changeSignInMethods, checkFresh } from './may-set.ts'
import { auditDetailsOf, mappingOf, readAll, serializeDomain } from './serialize.ts'
import {
  checkAdminAccess,
  deleteProvider,
  isOpenedBySignOn,
  lockProviders,
  providerIn,
} from './sign-in-methods.ts'

/** Most providers of a customer, and most domains. */
const MAX_ENTRIES = 100

export const readSignOn = operation(contract.readSignOn, async (caller) => ({
  body: await readScope(caller, (tx) => readAll(tx, caller.customerId)),
}))

export const addIdentityProvider = operation(
  contract.addIdentityProvider,
  async (caller, { body: { name, ...input } }, { requestId }) => {
    await checkFresh(caller)
    await checkIssuer(input.issuer)
    const add = changeSignInMethods(caller, async (tx) => {
      const { customerId } = caller
      checkRoom(await lockProviders(tx, customerId))
      const { issuer, clientId, clientSecret } = input
      const values = await valuesOf(tx, customerId, input)
      const scopes = values.scopes ?? ['openid', 'email', 'profile']
      const id = await store.addProvider(tx, customerId, {
        ...values,
        name,
        issuer,
        clientId,
        clientSecret,
        scopes,
      })
      const details = { name, ...auditDetailsOf({ ...values, scopes }) }
      await recordByCaller(tx, caller, { action: 'identity-provider.set', subject: id, requestId, details })
      return providerOf(tx, caller, id)
    })
    return { body: await add.catch(duplicate('provider_exists', `There is a provider “${name}” already.`)) }
  },
)

export const changeIdentityProvider = operation(
  contract.changeIdentityProvider,
  async (caller, { params: { provider_id: id }, body }, { requestId }) => {
    await checkFresh(caller)
    const { customerId } = caller
    const providers = await readScope(caller, (tx) => store.listProviders(tx, customerId))
    const { issuer } = providerIn(providers, id)
    if (body.issuer !== undefined && body.issuer !== issuer) await checkIssuer(body.issuer)
    const change = changeSignInMethods(caller, async (tx) => {
      const before = providerIn(await lockProviders(tx, customerId), id)
      const values = await valuesOf(tx, customerId, body)
      await store.changeProvider(tx, customerId, before, values)
      // No member has signed in with the provider's new settings yet.
      await checkAdminAccess(tx, customerId, id)
      const details = { name: before.name, ...auditDetailsOf(values) }
      await recordByCaller(tx, caller, { action: 'identity-provider.set', subject: id, requestId, details })
      return providerOf(tx, caller, id)
    })
    return { body: await change }
  },
)

export const removeIdentityProvider = operation(
  contract.removeIdentityProvider,
  async (caller, { params: { provider_id: id } }, { requestId }) => {
    const { customerId } = caller
    await changeSignInMethods(caller, async (tx) => {
      const { name, issuer } = providerIn(await lockProviders(tx, customerId), id)
      await removeProvider(tx, customerId, id)
      await checkAdminAccess(tx, customerId)
      const event = { action: 'identity-provider.removed', subject: id, requestId, details: { name, issuer } }
      await recordByCaller(tx, caller, event)
    })
    return { body: { removed: true as const } }
  },
)

export const addSignOnDomain = operation(
  contract.addSignOnDomain,
  async (caller, { body }, { requestId }) => ({ body: await addDomain(caller, body, requestId) }),
)

export const checkSignOnDomain = operation(
  contract.checkSignOnDomain,
  async (caller, { params }, { requestId }) => ({
    body: await checkDomain(caller, params.domain, requestId),
  }),
)

export const removeSignOnDomain = operation(
  contract.removeSignOnDomain,
  async (caller, { params }, { requestId }) => {
    await dropDomain(caller, params.domain, requestId)
    return { body: { removed: true as const } }
  },
)

export const setPasswordSignIn = operation(
  contract.setPasswordSignIn,
  async (caller, { body: { allowed } }, { requestId }) => {
    const { customerId } = caller
    const body = await changeSignInMethods(caller, async (tx) => {
      await lockProviders(tx, customerId)
      if ((await store.isSignOnOnly(tx, customerId)) === allowed) {
        if (!allowed && !(await isOpenedBySignOn(tx, caller)))
          throw new Problem(
            'last_way_in',
            'Sign out, sign in by single sign-on, and turn passwords off then: so it is certain that you get in again.',
          )
        await store.setSignOnOnly(tx, customerId, !allowed)
        await checkAdminAccess(tx, customerId)
        const action = allowed ? 'customer.passwords-allowed' : 'customer.passwords-refused'
        await recordByCaller(tx, caller, { action, subject: customerId, requestId })
      }
      return readAll(tx, customerId)
    })
    return { body }
  },
)

async function providerOf(tx: Transaction, { customerId }: Caller, id: string): Promise<contract.Provider> {
  const provider = (await readAll(tx, customerId)).providers.find((one) => one.id === id)
  if (!provider) throw new Error('The identity provider that was just set is not there.')
  return provider
}

/** Adds a domain, or assigns it to another provider. @throws Problem, also `last_way_in` */
async function addDomain(
  caller: Caller,
  input: { domain: string; providerId: string },
  requestId: string,
): Promise<Domain> {
  const { customerId } = caller
  const domain = domainOf(input.domain)
  if (domains.isPublicSuffix(domain))
    throw wrong('domain', 'is a public suffix, under which many have domains')
  const row = await changeSignInMethods(caller, async (tx) => {
    const provider = (await lockProviders(tx, customerId)).find(({ id }) => id === input.providerId)
    if (!provider) throw wrong('providerId', 'is no identity provider')
    const { id: providerId, name } = provider
    const existing = await domains.listDomains(tx, customerId)
    if (existing.every((one) => one.domain !== domain)) checkRoom(existing)
    const added = await domains.addDomain(tx, customerId, { domain, providerId })
    await checkAdminAccess(tx, customerId)
    const event = { action: 'sign-on-domain.added', subject: domain, requestId, details: { provider: name } }
    await recordByCaller(tx, caller, event)
    return added
  })
  return serializeDomain(row)
}

/**
 * Checks a domain's DNS record, which proves the domain, even where another customer had it and has lost its own
 * record.
 * @throws Problem `domain_not_proven`, `domain_taken`
 */
async function checkDomain(caller: Caller, domainText: string, requestId: string): Promise<Domain> {
  await checkFresh(caller)
  const before = await readScope(caller, (tx) => domainNamed(tx, caller, domainText))
  const { domain, token } = before
  if (before.provenAt !== null) return serializeDomain(before)
  const isThere = await domains.isInDns(domain, token).catch(() => {
    throw new Problem('service_unavailable', 'The DNS gives no answer at the moment. Try again later.')
  })
  const { name, text } = domains.recordOf(domain, token)
  if (!isThere) throw new Problem('domain_not_proven', `There is no TXT record ${name} with “${text}” yet.`)
  await releaseLost(domain, caller.customerId, requestId)
  const prove = changeSignInMethods(caller, async (tx) => {
    if ((await domainNamed(tx, caller, domain)).provenAt === null) {
      await domains.proveDomain(tx, caller.customerId, domain, 'dns')
      const event = { action: 'sign-on-domain.proven', subject: domain, requestId, details: { by: 'dns' } }
      await recordByCaller(tx, caller, event)
    }
    return domainNamed(tx, caller, domain)
  })
  const conflict = `Another customer has proven ${domain} before. Ask your reseller.`
  return serializeDomain(await prove.catch(duplicate('domain_taken', conflict)))
}

/** Removes a domain. @throws Problem `not_found`, `last_way_in` */
async function dropDomain(caller: Caller, domainText: string, requestId: string): Promise<void> {
  const { customerId } = caller
  await changeSignInMethods(caller, async (tx) => {
    await lockProviders(tx, customerId)
    const { domain } = await domainNamed(tx, caller, domainText)
    await domains.removeDomain(tx, customerId, domain)
    await checkAdminAccess(tx, customerId)
    await recordByCaller(tx, caller, { action: 'sign-on-domain.removed', subject: domain, requestId })
  })
}

async function domainNamed(
  tx: Transaction,
  { customerId }: Caller,
  domainText: string,
): Promise<domains.DomainRow> {
  const domain = domains.asDomain(domainText)
  const match = (await domains.listDomains(tx, customerId)).find((one) => one.domain === domain)
  if (!match) throw new Problem('not_found', 'There is no such domain.')
  return match
}

function domainOf(domainText: string): string {
  const domain = domains.asDomain(domainText)
  if (domain === undefined) throw wrong('domain', 'is no domain of mail addresses')
  return domain
}

function wrong(field: 'domain' | 'providerId', detail: string): Problem {
  const pointer = `/${field}`
  return new Problem('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}

type ProviderInput = z.output<typeof ProviderChange>

/**
 * Returns the given settings of a provider in their stored form.
 * @throws Problem `invalid_request` for an unknown billing profile
 */
async function valuesOf(
  tx: Transaction,
  customerId: CustomerId,
  { scopes, mappings, ...fields }: ProviderInput,
): Promise<store.ProviderValues> {
  const profileIds = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const isUnknown = ({ billingProfile }: WireMapping) =>
    billingProfile !== undefined && !profileIds.includes(billingProfile)
  const at = mappings?.findIndex(isUnknown) ?? -1
  if (at >= 0) {
    const [pointer, detail] = [`/mappings/${at}/billingProfile`, 'is no billing profile']
    throw new Problem('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
  }
  const parts = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(parts) as store.ProviderValues),
    ...(scopes ? { scopes: ['openid', ...new Set(scopes.filter((scope) => scope !== 'openid'))] } : {}),
    ...(mappings ? { mappings: mappings.map(mappingOf) } : {}),
  }
}

/** Removes a provider with its domains, bound subjects, and the sessions that it opened. */
async function removeProvider(tx: Transaction, customerId: CustomerId, providerId: string): Promise<void> {
  await store.disableProvider(tx, customerId, providerId)
  // Includes members whose subject was released in the meantime.
  const { digest } = signOnSessions
  const opened = tx.select({ digest }).from(signOnSessions).where(eq(signOnSessions.providerId, providerId))
  await endSessions(tx, customerId, inArray(sessions.digest, opened))
  await releaseSubjects(tx, customerId, { providerId })
  for (const { domain, providerId: id } of await listDomains(tx, customerId))
    if (id === providerId) await removeDomain(tx, customerId, domain)
  await deleteProvider(tx, customerId, providerId)
}

/** Checks that another entry is allowed. @throws Problem `invalid_request` at the limit */
function checkRoom(all: readonly unknown[]): void {
  if (all.length >= MAX_ENTRIES)
    throw new Problem('invalid_request', `There are ${MAX_ENTRIES} already, and no room for more.`)
}

/** Returns a handler for `catch` that reports a unique violation as this problem. */
function duplicate(code: 'provider_exists' | 'domain_taken', detail: string) {
  return (error: unknown): never => {
    throw errorCode(error) === '23505' ? new Problem(code, detail) : error
  }
}

/** Records an audit event with the caller as its actor. */
function recordByCaller(tx: Transaction, caller: Caller, event: Omit<AuditEvent, 'actor'>): Promise<void> {
  return recordAudit(tx, caller.customerId, { ...event, actor: actorOf(caller) })
}
