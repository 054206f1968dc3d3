import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import * as domains from '#lib/access/sign-on/domains.ts'
import { operation } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope } from '#lib/db/scope.ts'
import * as contract from './contract.ts'
import { checkRoom, duplicate, tell } from './deeds.ts'
import { changeWaysIn, checkFresh } from './may-set.ts'
import { serializeDomain } from './serialize.ts'
import { checkWayIn, lockProviders, providerIn } from './ways-in.ts'

export const addSignOnDomain = operation(
  contract.addSignOnDomain,
  async (caller, { body }, { requestId }) => {
    const { customerId } = caller
    const domain = domainOf(body.domain)
    const row = await changeWaysIn(caller, async (tx) => {
      const { id: providerId, name } = providerIn(await lockProviders(tx, customerId), body.providerId)
      const known = await domains.listDomains(tx, customerId)
      if (known.every((one) => one.domain !== domain)) checkRoom(known)
      const added = await domains.addDomain(tx, customerId, { domain, providerId })
      await checkWayIn(tx, customerId)
      const event = {
        action: 'sign-on-domain.added',
        subject: domain,
        requestId,
        details: { provider: name },
      }
      await tell(tx, caller, event)
      return added
    })
    return { body: serializeDomain(row) }
  },
)

export const checkSignOnDomain = operation(
  contract.checkSignOnDomain,
  async (caller, { params }, { requestId }) => {
    await checkFresh(caller)
    const { customerId } = caller
    const before = await readScope(caller, (tx) => domainNamed(tx, caller, params.domain))
    const { domain, token } = before
    if (before.provenAt !== null) return { body: serializeDomain(before) }
    const { name, text } = domains.recordOf(domain, token)
    const isThere = await domains.isInDns(domain, token).catch(() => {
      throw new Problem('service_unavailable', 'The DNS gives no answer at the moment. Try again later.')
    })
    if (!isThere) throw new Problem('domain_not_proven', `There is no TXT record ${name} with “${text}” yet.`)
    const prove = changeWaysIn(caller, async (tx) => {
      const { provenAt } = await domainNamed(tx, caller, domain)
      if (provenAt === null) {
        await domains.proveDomain(tx, customerId, domain, 'dns')
        const event = { action: 'sign-on-domain.proven', subject: domain, requestId, details: { by: 'dns' } }
        await tell(tx, caller, event)
      }
      return domainNamed(tx, caller, domain)
    })
    const taken = `Another customer has proven ${domain} before. Ask your reseller.`
    return { body: serializeDomain(await prove.catch(duplicate('domain_taken', taken))) }
  },
)

export const removeSignOnDomain = operation(
  contract.removeSignOnDomain,
  async (caller, { params }, { requestId }) => {
    const { customerId } = caller
    await changeWaysIn(caller, async (tx) => {
      await lockProviders(tx, customerId)
      const { domain } = await domainNamed(tx, caller, params.domain)
      await domains.removeDomain(tx, customerId, domain)
      await checkWayIn(tx, customerId)
      await tell(tx, caller, { action: 'sign-on-domain.removed', subject: domain, requestId })
    })
    return { body: { removed: true as const } }
  },
)

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
  if (domain !== undefined) return domain
  const detail = 'is no domain of mail addresses'
  throw new Problem('invalid_request', `/domain: ${detail}`, { errors: [{ pointer: '/domain', detail }] })
}
