import { hrefOf, withRange } from '#components/billing/invoices/view.ts'
import { hrefOf as activityHref, withRange as withActivityRange } from '#components/licenses/activity/view.ts'
import { presets } from '#components/lists/filters/date-range.ts'
import { quarterOf } from '#lib/platform/values/days.ts'
import type { Entry } from './entries.ts'

type Destination = Omit<Entry, 'group'> & {
  /** Parent screen in the navigation; shown to callers who may see it. */
  within?: '/assets' | '/invoices'
}

// `detail` describes the content with the words that users search for.
const DESTINATIONS: readonly Destination[] = [
  {
    within: '/invoices',
    name: 'Past due',
    detail: 'Invoices that are late',
    href: hrefOf({ filter: { status: ['PAST DUE'] } }),
  },
  {
    within: '/invoices',
    name: 'Open invoices',
    detail: 'Not paid yet, not late',
    href: hrefOf({ filter: { status: ['OPEN'] } }),
  },
  {
    within: '/invoices',
    name: 'Month comparison',
    detail: 'Why it costs more than the previous one',
    href: '/invoices/explain',
  },
  {
    within: '/invoices',
    name: 'Statement',
    detail: 'Open balance by age',
    href: '/invoices/statement',
  },
  {
    within: '/invoices',
    name: 'Compare two invoices',
    detail: 'Line by line',
    href: '/invoices/compare',
  },
  {
    within: '/invoices',
    name: 'Accounting details',
    detail: 'Purchase orders and cost centers',
    href: '/invoices/profiles',
  },
  {
    within: '/assets',
    name: 'Bulk edit licenses',
    detail: 'From a list, with one review',
    href: '/assets/bulk',
  },
  {
    within: '/assets',
    name: 'Renewals',
    detail: 'When commitments end, and until when to decide',
    href: '/assets/renewals',
  },
  { name: 'Sessions', detail: 'Where you are signed in', href: '/sessions' },
  { name: 'Two-step verification', detail: 'Passkeys, codes of an app', href: '/second-factor' },
]

/** Returns the destinations whose days change with time. */
function datedDestinations(now: number): Destination[] {
  const year = new Date(now).getUTCFullYear()
  const range = { from: Date.UTC(year, 0, 1), to: Date.UTC(year, 11, 31) }
  const week = presets(now).find(({ name }) => name === 'Last 7 days')?.range ?? {}
  return [
    {
      within: '/invoices',
      name: 'Credit notes of this year',
      detail: `By their date, in ${year}`,
      href: hrefOf(withRange({ filter: { document: ['credit-note'] } }, range)),
    },
    {
      within: '/assets',
      name: 'Renewals in the next quarter',
      detail: 'Commitments that end in it',
      href: `/assets/renewals?quarter=${quarterOf(now, 1)}`,
    },
    {
      within: '/assets',
      name: 'License changes of the last week',
      detail: 'Who changed what in the last 7 days',
      href: activityHref(withActivityRange({}, week)),
    },
  ]
}

/** Returns all destinations that need no search: the caller's screens, and views of them. */
export function destinationsFor(
  screens: readonly { href: string; name: string }[],
  now = Date.now(),
): Entry[] {
  const reachable = [...DESTINATIONS, ...datedDestinations(now)].filter(
    ({ within }) => !within || screens.some(({ href }) => href === within),
  )
  return [...screens, ...reachable].map(({ name, href, ...more }) => ({
    group: 'Go to',
    name,
    ...('detail' in more ? { detail: more.detail as string } : {}),
    href,
  }))
}
