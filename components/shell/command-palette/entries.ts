import { hrefOf, invoiceHref } from '#components/billing/invoices/view.ts'
import { assetHref } from '#components/licenses/assets/one-asset.ts'
import { platformName } from '#lib/billing/invoices/rules.ts'
import { wholeNumber } from '#lib/licenses/license-lists/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import type { Matches } from '#lib/workspace/matches/contract.ts'

/** Something that can be gone to: a screen, a thing, or the review of an act. */
export type Entry = { group: string; name: string; detail?: string; href: string }

/** What was typed, and where it is an asset with a number behind it, the parts: "business plus 245". */
export type PaletteQuery = { text: string; act?: { search: string; quantity: number } }

/** @param typed as it stands in the box */
export function parseQuery(typed: string): PaletteQuery {
  const text = typed.trim()
  const [, search, number] = /^(.*\S)\s+(\S+)$/.exec(text) ?? []
  const quantity = number === undefined ? undefined : wholeNumber(number)
  return search === undefined || quantity === undefined ? { text } : { text, act: { search, quantity } }
}

/** One or two letters begin too many words to look for them in what only describes a screen. */
const ENOUGH = 3

/** The screens whose name, or what is there, has a word that begins with it, for each word that was typed. */
export function matchDestinations({ text }: PaletteQuery, destinations: readonly Entry[]): Entry[] {
  const prefixes = splitWords(text)
  return destinations.filter(({ name, detail = '' }) => {
    const [names, details] = [splitWords(name), splitWords(detail)]
    const has = (begin: string) =>
      [...names, ...(begin.length < ENOUGH ? [] : details)].some((part) => part.startsWith(begin))
    return prefixes.every(has)
  })
}

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** The review of each asset that was found, with the number typed; nothing is changed by going there. */
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

/** What was found, kind after kind. */
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
