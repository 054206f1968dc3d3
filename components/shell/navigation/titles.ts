/** Tab titles of the console's screens. A test compares them with the titles that the pages declare. */
const TITLES: Record<string, string> = {
  '/': 'Home',
  '/activity': 'Activity',
  '/activity/events': 'Audit log',
  '/assets': 'Assets',
  '/assets/bulk': 'Bulk edit',
  '/assets/renewals': 'Renewals',
  '/invoices': 'Invoices',
  '/invoices/account': 'Account statement',
  '/invoices/compare': 'Compare invoices',
  '/invoices/explain': 'Month comparison',
  '/invoices/profiles': 'Billing profiles',
  '/invoices/statement': 'Statement',
  '/keys': 'API keys',
  '/members': 'Members',
  '/notifications': 'Invoice emails',
  '/second-factor': 'Two-step verification',
  '/sessions': 'Sessions',
  '/sign-on': 'Single sign-on',
  '/sign-on/directory': 'Directory',
  '/webhooks': 'Webhooks',
}

/** Titles of the pages of one thing until its name has loaded. */
const KINDS = [
  [/^\/assets\/[^/]+$/, 'Asset'],
  [/^\/invoices\/[^/]+$/, 'Invoice'],
  [/^\/webhooks\/[^/]+$/, 'Webhook'],
] as const

/** Returns the title of a screen that is loading; undefined for paths outside of the console. */
export function titleOf(path: string): string | undefined {
  if (Object.hasOwn(TITLES, path)) return TITLES[path]
  return KINDS.find(([pattern]) => pattern.test(path))?.[1]
}
