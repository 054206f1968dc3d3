import type { Permission } from '#lib/platform/caller/rules.ts'

/** Screens of the console in the order of the side bar, each with its required permission; null: none. */
export const SCREENS = [
  { href: '/', name: 'Home', permission: null },
  { href: '/assets', name: 'Assets', permission: 'licenses-manager' },
  { href: '/invoices', name: 'Invoices', permission: 'invoice-viewer' },
  { href: '/invoices/profiles', name: 'Billing profiles', permission: 'invoice-viewer' },
  { href: '/activity', name: 'Activity', permission: 'licenses-manager' },
  { href: '/members', name: 'Members', permission: 'members-manager' },
  { href: '/sign-on', name: 'Single sign-on', permission: 'members-manager' },
  { href: '/notifications', name: 'Invoice emails', permission: 'members-manager' },
  { href: '/keys', name: 'API keys', permission: null },
  { href: '/webhooks', name: 'Webhooks', permission: 'members-manager' },
] as const satisfies readonly { href: string; name: string; permission: Permission | null }[]
