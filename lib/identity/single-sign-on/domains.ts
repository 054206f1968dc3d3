import 'server-only'
import * as domains from '#lib/identity/access/sign-on/domains.ts'
import { releaseLost } from '#lib/identity/access/sign-on/rechecks/release.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { Domain } from './contract.ts'
import { checkRoom, duplicate, tell } from './deeds.ts'
import { changeWaysIn, checkFresh } from './may-set.ts'
import { serializeDomain } from './serialize.ts'
import { checkWayIn, lockProviders } from './ways-in.ts'

/** Names a domain, or leads its people to another provider. @throws Problem, also `last_way_in` */
export async function addDomain(
  caller: Caller,
  given: { domain: string; providerId: string },
  requestId: string,
): Promise<Domain> {
  const { customerId } = caller
  const domain = domainOf(given.domain)
  const row = await changeWaysIn(caller, async (tx) => {
    const provider = (await lockProviders(tx, customerId)).find(({ id }) => id === given.providerId)
    if (!provider) throw wrong('providerId', 'is no identity provider')
    const { id: providerId, name } = provider
    const known = await domains.listDomains(tx, customerId)
    if (known.every((one) => one.domain !== domain)) checkRoom(known)
    const added = await domains.addDomain(tx, customerId, { domain, providerId })
    await checkWayIn(tx, customerId)
    const event = { action: 'sign-on-domain.added', subject: domain, requestId, details: { provider: name } }
    await tell(tx, caller, event)
    return added
  })
  return serializeDomain(row)
}

/** Looks for a domain's record in the DNS, which proves it, also where another customer had it and has lost its own. @throws Problem `domain_not_proven`, `domain_taken` */
export async function checkDomain(caller: Caller, given: string, requestId: string): Promise<Domain> {
  await checkFresh(caller)
  const before = await readScope(caller, (tx) => domainNamed(tx, caller, given))
  const { domain, token } = before
  if (before.provenAt !== null) return serializeDomain(before)
  const isThere = await domains.isInDns(domain, token).catch(() => {
    throw new Problem('service_unavailable', 'The DNS gives no answer at the moment. Try again later.')
  })
  const { name, text } = domains.recordOf(domain, token)
  if (!isThere) throw new Problem('domain_not_proven', `There is no TXT record ${name} with “${text}” yet.`)
  await releaseLost(domain, caller.customerId, requestId)
  const prove = changeWaysIn(caller, async (tx) => {
    if ((await domainNamed(tx, caller, domain)).provenAt === null) {
      await domains.proveDomain(tx, caller.customerId, domain, 'dns')
      const event = { action: 'sign-on-domain.proven', subject: domain, requestId, details: { by: 'dns' } }
      await tell(tx, caller, event)
    }
    return domainNamed(tx, caller, domain)
  })
  const taken = `Another customer has proven ${domain} before. Ask your reseller.`
  return serializeDomain(await prove.catch(duplicate('domain_taken', taken)))
}

/** Takes a domain away. @throws Problem `not_found`, `last_way_in` */
export async function dropDomain(caller: Caller, given: string, requestId: string): Promise<void> {
  const { customerId } = caller
  await changeWaysIn(caller, async (tx) => {
    await lockProviders(tx, customerId)
    const { domain } = await domainNamed(tx, caller, given)
    await domains.removeDomain(tx, customerId, domain)
    await checkWayIn(tx, customerId)
    await tell(tx, caller, { action: 'sign-on-domain.removed', subject: domain, requestId })
  })
}

async function domainNamed(
  tx: Transaction,
  { customerId }: Caller,
  given: string,
): Promise<domains.DomainRow> {
  const domain = domains.asDomain(given)
  const found = (await domains.listDomains(tx, customerId)).find((one) => one.domain === domain)
  if (!found) throw new Problem('not_found', 'There is no such domain.')
  return found
}

function domainOf(given: string): string {
  const domain = domains.asDomain(given)
  if (domain === undefined) throw wrong('domain', 'is no domain of mail addresses')
  return domain
}

function wrong(field: 'domain' | 'providerId', detail: string): Problem {
  const pointer = `/${field}`
  return new Problem('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}
