import 'server-only'
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { signOnDomains } from '#lib/platform/db/schema/access/sign-on.ts'
import { signOnSettings } from './settings.ts'

// A domain counts once it is proven to be the customer's. Several customers may name one; the first that proves it has it.

/** What a customer puts into the DNS of a domain: a TXT record of this name and text. */
export function recordOf(domain: string, token: string): { name: string; text: string } {
  return { name: `_licenses-invoices.${domain}`, text: `licenses-invoices-sign-on=${token}` }
}

/** A domain in the one form that we keep; undefined where it is none that mail can have. */
export function asDomain(given: string): string | undefined {
  const name = given.trim().toLowerCase().replace(/\.$/, '')
  const ascii = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : ''
  const isDomain = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(
    ascii,
  )
  return isDomain ? ascii : undefined
}

/** The domains of the customer, with their provider's id. */
export function listDomains(tx: Transaction, customerId: CustomerId) {
  const { domain, providerId, token, provenAt, provenBy, lostAt } = signOnDomains
  const own = eq(signOnDomains.customerId, customerId)
  return tx
    .select({ domain, providerId, token, provenAt, provenBy, lostAt })
    .from(signOnDomains)
    .where(own)
    .orderBy(asc(domain))
}

export type DomainRow = Awaited<ReturnType<typeof listDomains>>[number]

/** Names a domain, which is not proven yet; one that is named already goes to this provider, as proven as it was. */
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

/** From now on the domain is the customer's. One that is another's already is 23505. */
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

/** Takes a domain away: its people sign in by no provider any more. @returns whether it was there */
export async function removeDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
): Promise<boolean> {
  const own = and(eq(signOnDomains.customerId, customerId), eq(signOnDomains.domain, domain))
  return (await tx.delete(signOnDomains).where(own)).rowCount === 1
}

/**
 * Whether the DNS of a domain has the record that proves it. The name servers are those of SIGN_ON_DNS, else this machine's.
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
