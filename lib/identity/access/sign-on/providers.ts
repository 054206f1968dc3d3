import 'server-only'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { identityProviders } from '#lib/platform/db/schema/access/sign-on.ts'
import { customers } from '#lib/platform/db/schema/customers.ts'
import type { Mapping } from './rules.ts'
import { sealFor } from './sealed.ts'
import { endOpenedBy, endOthers, holdSignIns } from './sessions.ts'
import { releaseSubjects } from './subjects.ts'

/** Settings of a provider. The client secret is encrypted. */
export type ProviderValues = Partial<{
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string[]
  verifiedClaim: string
  joinRoles: Role[] | null
  mappings: Mapping[]
}>

const { id, name, issuer, clientId, scopes, verifiedClaim, joinRoles, mappings, changedAt, offAt } =
  identityProviders
const columns = {
  ...{ id, name, issuer, clientId, scopes, verifiedClaim, changedAt, offAt },
  joinRoles: sql<Role[] | null>`${joinRoles}`,
  mappings: sql<Mapping[]>`${mappings}`,
}

export type ProviderRow = Awaited<ReturnType<typeof listProviders>>[number]

/** Lists the customer's providers, by name. */
export function listProviders(tx: Transaction, customerId: CustomerId) {
  const customerFilter = eq(identityProviders.customerId, customerId)
  return tx.select(columns).from(identityProviders).where(customerFilter).orderBy(asc(name))
}

/** Locks the customer's provider of this name until the transaction ends, and returns it. */
export async function readProvider(
  tx: Transaction,
  customerId: CustomerId,
  named: string,
): Promise<ProviderRow | undefined> {
  const providerFilter = and(eq(identityProviders.customerId, customerId), eq(name, named))
  const rows = await tx.select(columns).from(identityProviders).where(providerFilter).for('no key update')
  return rows[0]
}

/** Adds a provider. @returns its id */
export async function addProvider(
  tx: Transaction,
  customerId: CustomerId,
  values: ProviderValues & {
    name: string
    issuer: string
    clientId: string
    clientSecret: string
    scopes: string[]
  },
): Promise<string> {
  const added = crypto.randomUUID()
  const clientSecret = sealFor(added, values.clientSecret)
  await tx.insert(identityProviders).values({ customerId, id: added, ...values, clientSecret })
  return added
}

/**
 * Changes a provider, and turns it on. A change of issuer or client releases all subjects: each member is bound again
 * by their next sign-in, and the sessions that the provider has opened end.
 */
export async function changeProvider(
  tx: Transaction,
  customerId: CustomerId,
  before: ProviderRow,
  { clientSecret, ...values }: ProviderValues,
): Promise<void> {
  const isOther =
    (values.issuer ?? before.issuer) !== before.issuer ||
    (values.clientId ?? before.clientId) !== before.clientId
  const providerFilter = and(eq(identityProviders.customerId, customerId), eq(id, before.id))
  if (isOther) {
    await holdSignIns(tx, customerId)
    await endOpenedBy(tx, customerId, before.id)
    await releaseSubjects(tx, customerId, { providerId: before.id })
  }
  await tx
    .update(identityProviders)
    .set({
      ...values,
      ...(clientSecret === undefined ? {} : { clientSecret: sealFor(before.id, clientSecret) }),
      ...(isOther ? { changedAt: sql`now()` } : {}),
      offAt: null,
    })
    .where(providerFilter)
}

/** Turns a provider off, and ends the sessions that it has opened. */
export async function disableProvider(
  tx: Transaction,
  customerId: CustomerId,
  providerId: string,
): Promise<void> {
  await holdSignIns(tx, customerId)
  const providerFilter = and(eq(identityProviders.customerId, customerId), eq(id, providerId))
  await tx.update(identityProviders).set({ offAt: sql`now()` }).where(providerFilter)
  await endOpenedBy(tx, customerId, providerId)
}

/** Returns whether single sign-on is mandatory at the customer: no password opens a membership. */
export async function isSignOnOnly(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const customerFilter = eq(customers.id, customerId)
  const rows = await tx.select({ since: customers.signOnOnlySince }).from(customers).where(customerFilter)
  return rows[0] !== undefined && rows[0].since !== null
}

/**
 * Makes single sign-on mandatory at the customer and ends the sessions that passwords have opened, or allows passwords
 * again.
 */
export async function setSignOnOnly(tx: Transaction, customerId: CustomerId, isOnly: boolean): Promise<void> {
  if (isOnly) await holdSignIns(tx, customerId)
  await tx
    .update(customers)
    .set({ signOnOnlySince: isOnly ? sql`now()` : null })
    .where(eq(customers.id, customerId))
  if (isOnly) await endOthers(tx, customerId)
}

/**
 * Returns whether an Admin who may sign in has done so by a provider with its current settings: otherwise all Admins
 * could be locked out.
 */
export async function hasVerifiedAdmin(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    SELECT FROM sign_on_subjects s
    JOIN identity_providers p ON p.customer_id = s.customer_id AND p.id = s.provider_id
    JOIN members m ON m.customer_id = s.customer_id AND m.id = s.member_id
    WHERE s.customer_id = ${customerId} AND p.off_at IS NULL AND s.last_sign_in_at >= p.changed_at
      AND m.roles @> '{admin}' AND m.disabled_at IS NULL
    LIMIT 1`)
  return rowCount === 1
}
