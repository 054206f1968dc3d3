import type { Need } from '#lib/notifications/needs/contract.ts'
import { wordsOf } from '#lib/notifications/needs/words.ts'
import { dayText } from '#lib/platform/values/days.ts'
import type { ToldChange } from './licenses.ts'
import { type Kind, MOST_NAMED, NOTICE_NAMES } from './rules.ts'

export type Part = {
  notice: Kind
  /** `Past due: 12 invoices, 1,204.50 USD and 80.00 EUR`. */
  head: string
  lines: { id: string; amount: string; facts: string[]; href: string }[]
  /** How many are not named, and where they are. */
  more: string | undefined
  /** The console's list of them. */
  href: string
}

export type Given = { customer: string; profiles: number; today: string; baseUrl: string }

/** `3 license totals`. */
export const totals = (count: number) =>
  `${count.toLocaleString('en')} license ${count === 1 ? 'total' : 'totals'}`

/** `3 things need`, to be followed by whom. */
export const things = (count: number) =>
  count === 1 ? '1 thing needs' : `${count.toLocaleString('en')} things need`

/** What needs the recipient, as the console's first page has it. */
export function needsPart(needs: readonly Need[], { baseUrl }: Given): Part {
  const others = needs.length - MOST_NAMED
  return {
    notice: 'needs',
    head: `What needs you: ${needs.length.toLocaleString('en')}`,
    lines: needs.slice(0, MOST_NAMED).map((need) => {
      const { title, figure, facts, act, path } = wordsOf(need)
      const [id, amount] = [oneLine(title), oneLine(figure)]
      return { id, amount, facts: [...facts.map(oneLine), `${act}:`], href: baseUrl + path }
    }),
    more: others > 0 ? `and ${others.toLocaleString('en')} more in the console` : undefined,
    href: `${baseUrl}/`,
  }
}

/** The totals that vendors changed, newest first. */
export function licensesPart(changes: readonly ToldChange[], { baseUrl }: Given): Part {
  const others = changes.length - MOST_NAMED
  return {
    notice: 'licenses',
    head: `${NOTICE_NAMES.licenses}: ${totals(changes.length)}`,
    lines: changes.slice(0, MOST_NAMED).map(({ assetId, assetName, from, to, vendor, at }) => ({
      id: oneLine(assetName),
      amount: `${from.toLocaleString('en')} → ${to.toLocaleString('en')} licenses`,
      facts: [
        `at ${oneLine(vendor)}, seen on ${dayText(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`,
      ],
      href: `${baseUrl}/assets/${encodeURIComponent(assetId)}`,
    })),
    more: others > 0 ? `and ${others.toLocaleString('en')} more in the console` : undefined,
    href: `${baseUrl}/activity?filter=state:DRIFT`,
  }
}

/** Without line ends, and without the marks that turn the order of what is read. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}
