import 'server-only'
import { callbackOf } from '#lib/identity/access/sign-on/code-flow.ts'
import { type DomainRow, listDomains, recordOf } from '#lib/identity/access/sign-on/domains.ts'
import {
  isSignOnOnly,
  listProviders,
  type ProviderRow,
  type ProviderValues,
} from '#lib/identity/access/sign-on/providers.ts'
import type { Mapping } from '#lib/identity/access/sign-on/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { Domain, Provider, SignOn, WireMapping } from './contract.ts'
import { lastSignIns } from './sign-in-methods.ts'

/** Returns all settings of single sign-on in their wire format. */
export async function readAll(tx: Transaction, customerId: CustomerId): Promise<SignOn> {
  const seen = await lastSignIns(tx, customerId)
  const isOnly = await isSignOnOnly(tx, customerId)
  return {
    passwords: isOnly ? 'refused' : 'allowed',
    providers: (await listProviders(tx, customerId)).map((row) => serializeProvider(row, seen.get(row.id))),
    domains: (await listDomains(tx, customerId)).map(serializeDomain),
  }
}

function serializeProvider(row: ProviderRow, lastSignInTime: number | undefined): Provider {
  const { id, name, issuer, clientId, scopes, verifiedClaim, joinRoles, mappings, offAt } = row
  return {
    ...{ id, name, issuer, clientId, state: offAt === null ? 'on' : 'off' },
    ...{ scopes: scopes.filter((scope) => scope !== 'openid'), verifiedClaim, joinRoles },
    mappings: mappings.map(wireOf),
    redirectUri: callbackOf(id),
    logoutUri: `${env().baseUrl}/auth/sign-on/logout/${id}`,
    ...(lastSignInTime === undefined ? {} : { lastSignInTime }),
  }
}

export function serializeDomain({ domain, providerId, token, provenAt, provenBy }: DomainRow): Domain {
  return {
    ...{ domain, providerId, state: provenAt === null ? 'waiting' : 'proven' },
    ...(provenAt === null ? {} : { provenTime: provenAt.getTime() }),
    ...(provenBy === 'dns' || provenBy === 'operator' ? { provenBy } : {}),
    record: { type: 'TXT', ...recordOf(domain, token) },
  }
}

function wireOf(mapping: Mapping): WireMapping {
  const { claim, value } = mapping
  return 'role' in mapping
    ? { claim, value, role: mapping.role }
    : { claim, value, billingProfile: mapping.profile }
}

/** Returns the stored form of a mapping. The schema ensures that it has a role or a billing profile. */
export function mappingOf({ claim, value, role, billingProfile = '' }: WireMapping): Mapping {
  return role === undefined ? { claim, value, profile: billingProfile } : { claim, value, role }
}

/** Returns the details of the audit event: that a secret was set, but not its value. */
export function auditDetailsOf({ clientSecret, mappings, joinRoles, ...values }: ProviderValues) {
  return {
    ...values,
    ...(joinRoles === undefined ? {} : { joinRoles: joinRoles ?? 'none' }),
    ...(mappings ? { mappings: mappings.map(ruleText) } : {}),
    ...(clientSecret === undefined ? {} : { clientSecret: 'set' }),
  }
}

/** Returns a mapping as text, such as `groups:it-team=it-manager`. */
export function ruleText(mapping: Mapping): string {
  return `${mapping.claim}:${mapping.value}=${'role' in mapping ? mapping.role : mapping.profile}`
}
