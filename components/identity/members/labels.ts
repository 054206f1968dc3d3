import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { Profiles } from '#lib/identity/members/rules.ts'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'

/** Billing profiles that a caller may grant: those that they see, and whether they see all of them permanently. */
export type Giving = { profiles: readonly { id: string; name: string }[]; all: boolean }

/** Permissions of each role, for the member who grants it. */
export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  'it-manager': 'Assets and licenses',
  'finance-user': 'Invoices',
  admin: 'Full access',
}

const FACTOR_NAMES = { totp: 'app', passkey: 'passkey' } as const

/** Returns the names of a member's second factors, by kind. */
export function factorsText(kinds: readonly (keyof typeof FACTOR_NAMES)[]): string {
  if (kinds.length === 0) return 'No two-step verification'
  return `Two-step verification: ${kinds.map((kind) => FACTOR_NAMES[kind]).join(' and ')}`
}

export function rolesText(roles: readonly Role[]): string {
  return roles.map((role) => ROLE_NAMES[role].replace(' ', '\u00a0')).join(', ') || 'None'
}

/** Returns the names of billing profiles, as far as they are known. */
export function profilesText(
  profiles: Profiles,
  { profiles: profilesInScope }: Pick<Giving, 'profiles'>,
): string {
  if (profiles === null) return 'All'
  if (profiles.length === 0) return 'None'
  return profiles.map((id) => escapeInvisible(nameOf(id, profilesInScope))).join(', ')
}

function nameOf(id: string, profilesInScope: Giving['profiles']): string {
  return profilesInScope.find((profile) => profile.id === id)?.name ?? id
}
