import { hrefOf, invoiceHref } from '#components/billing/invoices/view.ts'
import { assetHref } from '#components/licenses/assets/one-asset.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import type { Matches } from '#lib/workspace/matches/contract.ts'

/** Destination of the palette: a screen, an asset or invoice, or the review of a change. */
export type Entry = { group: string; name: string; detail?: string; href: string }

/** Typed text and, for an asset followed by a number, its parts: "business plus 245". */
export type PaletteQuery = { text: string; act?: { search: string; quantity: number } }

/** @param typed content of the input */
export function parseQuery(typed: string): PaletteQuery {
  const text = typed.trim()
  const [, search, number] = /^(.*\S)\s+(\S+)$/.exec(text) ?? []
  const quantity = number === undefined ? undefined : parseWholeNumber(number)
  return search === undefined || quantity === undefined ? { text } : { text, act: { search, quantity } }
}

/** Shortest prefix to match in descriptions: one or two letters match too many words. */
const MIN_PREFIX_LENGTH = 3

/** Returns the screens whose name or description has a matching word for each typed prefix. */
export function matchDestinations({ text }: PaletteQuery, destinations: readonly Entry[]): Entry[] {
  const prefixes = splitWords(text)
  return destinations.filter(({ name, detail = '' }) => {
    const [names, details] = [splitWords(name), splitWords(detail)]
    const has = (begin: string) =>
      [...names, ...(begin.length < MIN_PREFIX_LENGTH ? [] : details)].some((part) => part.startsWith(begin))
    return prefixes.every(has)
  })
}

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Returns the review of each found asset with the typed number; opening it changes nothing. */
export function actsOf({ act }: PaletteQuery, { assets }: Pick<Matches, 'assets'>): Entry[] {
  if (!act) return []
  return assets.flatMap(({ id, name, quantity, customerDomain }) =>
    quantity === undefined || quantity === act.quantity
      ? []
      : {
          group: 'Change licenses',
          name: `${name}: ${quantity.toLocaleString('en')} → ${act.quantity.toLocaleString('en')}`,
          ...(customerDomain ? { detail: customerDomain } : {}),
          href: assetHref(id, `set=${act.quantity}`),
        },
  )
}

/** Returns the matches of the search, grouped by kind. */
export function thingsOf({ assets, invoices, billingProfiles }: Matches): Entry[] {
  return [
    ...assets.map(({ id, name, type, customerDomain, quantity }) => ({
      group: 'Assets',
      name,
      detail: [
        customerDomain,
        platformName(type),
        quantity === undefined ? '' : `${quantity.toLocaleString('en')} licenses`,
      ]
        .filter(Boolean)
        .join(' · '),
      href: assetHref(id),
    })),
    ...invoices.map(({ id, number, issuer, invoiceDate, totalAmount, currency }) => ({
      group: 'Invoices',
      name: number,
      detail: `${issuer} · ${dayText(invoiceDate)} · ${moneyText(totalAmount, currency)}`,
      href: invoiceHref(id, ''),
    })),
    ...billingProfiles.map(({ id, name }) => ({
      group: 'Companies',
      name,
      detail: 'Its invoices',
      href: hrefOf({ filter: { billingProfile: [id] } }),
    })),
  ]
}
