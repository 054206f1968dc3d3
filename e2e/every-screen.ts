import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Ids of a customer's assets and invoices, for the screens of a single one. */
export type Things = { asset: string; invoice: string; other: string }

const APP = fileURLToPath(new URL('../app', import.meta.url))

/** Addresses of each screen behind the sign-in, by the folder of its page below `app/(console)`. */
const SIGNED_IN: Record<string, (things: Things) => string[]> = {
  '': () => ['/'],
  activity: () => ['/activity'],
  'activity/events': () => ['/activity/events'],
  assets: () => ['/assets', '/assets?search=nothing-has-this'],
  'assets/[id]': ({ asset }) => [`/assets/${asset}`, '/assets/not-there'],
  'assets/bulk': () => ['/assets/bulk'],
  'assets/renewals': () => ['/assets/renewals'],
  invoices: () => ['/invoices', '/invoices?search=nothing-has-this', '/invoices?filter=status:NONSENSE'],
  'invoices/[id]': ({ invoice }) => [`/invoices/${invoice}`],
  'invoices/compare': ({ invoice, other }) => [
    '/invoices/compare',
    `/invoices/compare?from=${other}&to=${invoice}`,
  ],
  'invoices/explain': () => ['/invoices/explain'],
  'invoices/profiles': () => ['/invoices/profiles'],
  'invoices/account': () => ['/invoices/account?from=2026-01-01'],
  'invoices/statement': () => ['/invoices/statement'],
  keys: () => ['/keys'],
  members: () => ['/members'],
  notifications: () => ['/notifications'],
  'second-factor': () => ['/second-factor'],
  sessions: () => ['/sessions'],
  'sign-on': () => ['/sign-on'],
  'sign-on/directory': () => ['/sign-on/directory'],
  webhooks: () => ['/webhooks'],
  'webhooks/[id]': () => ['/webhooks/not-there'],
}

/** Screens without a session, like `SCREENS`. */
const OUTSIDE: Record<string, string[]> = {
  'sign-in': ['/sign-in', '/sign-in?error=CredentialsSignin'],
  'sign-in/customer': ['/sign-in/customer'],
  'sign-in/factor': ['/sign-in/factor'],
  'sign-in/forgotten': ['/sign-in/forgotten'],
  'sign-in/set-up': ['/sign-in/set-up'],
  'invitation/[secret]': ['/invitation/not-an-invitation'],
  'reset/[secret]': ['/reset/not-a-link'],
  confirm: ['/confirm'],
  unsubscribe: ['/unsubscribe'],
  developers: ['/developers', '/developers?q=invoice'],
  'developers/[page]': ['/developers/errors', '/developers/license-changes', '/developers/not-there'],
}

/**
 * Returns the addresses of all screens.
 * @throws Error where a page has no address here, or an address no page
 */
export function everyScreen(things: Things): { signedIn: string[]; outside: string[] } {
  const listed = [...Object.keys(SIGNED_IN).map((path) => join('(console)', path)), ...Object.keys(OUTSIDE)]
  const pages = readdirSync(APP, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)page\.tsx$/.test(file))
    .map((file) => file.replace(/\/page\.tsx$/, ''))
  const odd = [...new Set(pages).symmetricDifference(new Set(listed))]
  if (odd.length > 0) throw new Error(`Not both a page and in e2e/every-screen.ts: ${odd.join(', ')}`)
  return {
    signedIn: Object.values(SIGNED_IN).flatMap((paths) => paths(things)),
    outside: [...Object.values(OUTSIDE).flat(), '/not/there'],
  }
}
