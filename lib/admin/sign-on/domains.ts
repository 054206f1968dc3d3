import { randomUUID } from 'node:crypto'
import * as store from '#lib/identity/access/sign-on/domains.ts'
import { releaseLost } from '#lib/identity/access/sign-on/domains.ts'
import { listProviders } from '#lib/identity/access/sign-on/providers.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { customerNamed, orDuplicate, recordOperatorAction } from '../command.ts'
import { note, print } from '../terminal.ts'
import { type Named, providerNamed } from './providers.ts'

type Of = { customer: string }

export async function addDomain(input: string, named: Named): Promise<void> {
  const { customerId } = await customerNamed(named.customer)
  const domain = domainOf(input)
  if (store.isPublicSuffix(domain))
    throw new Problem('invalid_request', `${domain} is a public suffix, under which many have domains.`)
  const row = await scope({ customerId }, async (tx) => {
    const { id, name } = await providerNamed(tx, customerId, named)
    await recordOperatorAction(tx, customerId, 'sign-on-domain.added', domain, { provider: name })
    return store.addDomain(tx, customerId, { domain, providerId: id })
  })
  const { name, text } = store.recordOf(domain, row.token)
  print(`${name}. TXT "${text}"`)
  note(
    row.provenAt === null
      ? `It counts for nothing until it is proven: have ${domain} publish this record, then run "sign-on domains verify ${domain}".`
      : `${domain} was proven before.`,
  )
}

export async function verifyDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const { domain, token } = await scope({ customerId }, (tx) => domainNamed(tx, customerId, input))
  const isThere = await store.isInDns(domain, token).catch((error: unknown) => {
    throw new Problem('service_unavailable', `The DNS gave no answer: ${reasonOf(error)}`)
  })
  const { name, text } = store.recordOf(domain, token)
  if (!isThere) throw new Problem('invalid_request', `There is no TXT record ${name} with "${text}" yet.`)
  await releaseLost(domain, customerId, randomUUID())
  await prove(customerId, domain, 'dns')
}

export async function confirmDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const { domain } = await scope({ customerId }, (tx) => domainNamed(tx, customerId, input))
  await prove(customerId, domain, 'operator')
}

async function prove(customerId: CustomerId, domain: string, by: 'dns' | 'operator'): Promise<void> {
  const verified = scope({ customerId }, async (tx) => {
    const { provenBy, lostAt } = await domainNamed(tx, customerId, domain)
    // A domain confirmed by the operator stays confirmed; a lost DNS proof is proven again.
    if (provenBy === 'operator' || (provenBy === by && lostAt === null)) return
    await store.proveDomain(tx, customerId, domain, by)
    await recordOperatorAction(tx, customerId, 'sign-on-domain.proven', domain, { by })
  })
  await orDuplicate(verified, { sign_on_domains_proven: `Another customer has ${domain} already.` })
  note(`People with an address of ${domain} sign in there.`)
}

export async function removeDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    const { domain } = await domainNamed(tx, customerId, input)
    await store.removeDomain(tx, customerId, domain)
    await recordOperatorAction(tx, customerId, 'sign-on-domain.removed', domain)
  })
  note(`${input} is removed.`)
}

export async function listCustomerDomains(tx: Transaction, customerId: CustomerId) {
  const names = new Map((await listProviders(tx, customerId)).map(({ id, name }) => [id, name]))
  const all = await store.listDomains(tx, customerId)
  return all.map(({ domain, providerId, provenAt, provenBy, lostAt, token }) => {
    const { name, text } = store.recordOf(domain, token)
    return { domain, provider: names.get(providerId) ?? '', provenAt, provenBy, lostAt, record: name, text }
  })
}

async function domainNamed(tx: Transaction, customerId: CustomerId, input: string): Promise<store.DomainRow> {
  const domain = domainOf(input)
  const row = (await store.listDomains(tx, customerId)).find((one) => one.domain === domain)
  if (!row) throw new Problem('not_found', `The domain ${domain} was not added.`)
  return row
}

function domainOf(input: string): string {
  const domain = store.asDomain(input)
  if (domain === undefined) throw new Problem('invalid_request', `"${input}" is no domain of mail addresses.`)
  return domain
}
