import 'server-only'
import { eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { listDomains, removeDomain } from '#lib/identity/access/sign-on/domains.ts'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { signOnSessions } from '#lib/platform/db/schema/access/sign-on.ts'
import type { ProviderChange, WireMapping } from './contract.ts'
import { mappingOf } from './serialize.ts'
import { deleteProvider } from './ways-in.ts'

type Given = z.output<typeof ProviderChange>

/** What is given of a provider, as it is kept. @throws Problem `invalid_request` for an unknown billing profile */
export async function keptOf(
  tx: Transaction,
  customerId: CustomerId,
  { scopes, mappings, ...given }: Given,
): Promise<store.Given> {
  const known = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const isUnknown = ({ billingProfile }: WireMapping) =>
    billingProfile !== undefined && !known.includes(billingProfile)
  const at = mappings?.findIndex(isUnknown) ?? -1
  if (at >= 0) {
    const [pointer, detail] = [`/mappings/${at}/billingProfile`, 'is no billing profile']
    throw new Problem('invalid_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
  }
  const parts = Object.entries(given).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(parts) as store.Given),
    ...(scopes ? { scopes: ['openid', ...new Set(scopes.filter((scope) => scope !== 'openid'))] } : {}),
    ...(mappings ? { mappings: mappings.map(mappingOf) } : {}),
  }
}

/** What the history has of what was given: that a secret was set, and nothing of it. */
export function toldOf({ clientSecret, mappings, joinRoles, ...given }: store.Given) {
  const rules = mappings?.map((one) => `${one.claim}:${one.value}=${'role' in one ? one.role : one.profile}`)
  return {
    ...given,
    ...(joinRoles === undefined ? {} : { joinRoles: joinRoles ?? 'none' }),
    ...(rules ? { mappings: rules } : {}),
    ...(clientSecret === undefined ? {} : { clientSecret: 'set' }),
  }
}

/** Takes a provider away with all that hangs on it: its domains, who its people are there, and the sessions that it opened. */
export async function takeAway(tx: Transaction, customerId: CustomerId, providerId: string): Promise<void> {
  await store.turnOff(tx, customerId, providerId)
  // Also those of members whose subject was released meanwhile.
  const { digest } = signOnSessions
  const opened = tx.select({ digest }).from(signOnSessions).where(eq(signOnSessions.providerId, providerId))
  await endSessions(tx, customerId, inArray(sessions.digest, opened))
  await releaseSubjects(tx, customerId, { providerId })
  for (const { domain, providerId: id } of await listDomains(tx, customerId))
    if (id === providerId) await removeDomain(tx, customerId, domain)
  await deleteProvider(tx, customerId, providerId)
}
