import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { identityProviders, signOnSubjects } from '#lib/platform/db/schema/access/sign-on.ts'
import { members } from '#lib/platform/db/schema/customers.ts'

/** Member with the details that single sign-on needs. */
export type SignOnMember = {
  id: string
  name: string
  email: string
  roles: Role[]
  billingProfiles: string[] | null
  isDisabled: boolean
  isInvited: boolean
}

const columns = {
  id: members.id,
  name: members.name,
  email: members.email,
  roles: sql<Role[]>`${members.roles}`,
  billingProfiles: members.billingProfiles,
  isDisabled: sql<boolean>`${members.disabledAt} IS NOT NULL`,
  isInvited: sql<boolean>`${members.invitedAt} IS NOT NULL`,
}

/**
 * Locks the provider, so that the second of two concurrent first sign-ins waits.
 * @returns whether the provider is on
 */
export async function lockProvider(
  tx: Transaction,
  customerId: CustomerId,
  providerId: string,
): Promise<boolean> {
  const providerFilter = and(
    eq(identityProviders.customerId, customerId),
    eq(identityProviders.id, providerId),
  )
  const { offAt } = identityProviders
  const rows = await tx.select({ offAt }).from(identityProviders).where(providerFilter).for('no key update')
  return rows[0]?.offAt === null
}

/** Finds the member that is bound to this subject of the provider. */
export async function memberOfSubject(
  tx: Transaction,
  customerId: CustomerId,
  { providerId, subject }: { providerId: string; subject: string },
): Promise<SignOnMember | undefined> {
  const rows = await tx
    .select(columns)
    .from(members)
    .innerJoin(
      signOnSubjects,
      and(eq(signOnSubjects.customerId, members.customerId), eq(signOnSubjects.memberId, members.id)),
    )
    .where(
      and(
        eq(members.customerId, customerId),
        eq(signOnSubjects.customerId, customerId),
        eq(signOnSubjects.providerId, providerId),
        eq(signOnSubjects.subject, subject),
      ),
    )
  return rows[0]
}

/** Finds the member with this address, ignoring case, and whether the provider has bound them to a subject. */
export async function memberOfAddress(
  tx: Transaction,
  customerId: CustomerId,
  { providerId, email }: { providerId: string; email: string },
): Promise<(SignOnMember & { isBound: boolean }) | undefined> {
  const isBound = sql<boolean>`EXISTS (SELECT FROM sign_on_subjects s
    WHERE s.customer_id = ${customerId} AND s.member_id = ${members.id} AND s.provider_id = ${providerId})`
  const addressFilter = and(
    eq(members.customerId, customerId),
    sql`lower(${members.email}) = lower(${email})`,
  )
  const rows = await tx
    .select({ ...columns, isBound })
    .from(members)
    .where(addressFilter)
  return rows[0]
}

/** Binds the member to this subject of the provider, and to no other. */
export async function bindSubject(
  tx: Transaction,
  customerId: CustomerId,
  binding: { providerId: string; subject: string; memberId: string },
): Promise<void> {
  await tx.insert(signOnSubjects).values({ customerId, ...binding })
}

/** Stores the time of the member's sign-in by the provider. */
export async function seeSubject(
  tx: Transaction,
  customerId: CustomerId,
  { providerId, subject }: { providerId: string; subject: string },
): Promise<void> {
  const subjectFilter = and(
    eq(signOnSubjects.customerId, customerId),
    eq(signOnSubjects.providerId, providerId),
  )
  const at = { lastSignInAt: sql`now()` }
  await tx
    .update(signOnSubjects)
    .set(at)
    .where(and(subjectFilter, eq(signOnSubjects.subject, subject)))
}

/**
 * Releases all subjects of a provider, or of a member: their next sign-in binds them again.
 * @returns how many
 */
export async function releaseSubjects(
  tx: Transaction,
  customerId: CustomerId,
  which: { providerId: string } | { memberId: string },
): Promise<number> {
  const whose =
    'memberId' in which
      ? eq(signOnSubjects.memberId, which.memberId)
      : eq(signOnSubjects.providerId, which.providerId)
  const { rowCount } = await tx
    .delete(signOnSubjects)
    .where(and(eq(signOnSubjects.customerId, customerId), whose))
  return rowCount ?? 0
}
