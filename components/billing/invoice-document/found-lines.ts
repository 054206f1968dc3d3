import { sumOf } from '#lib/platform/values/money.ts'
import type { ShownLine } from './lines-table.tsx'

/** The lines that have a text, in any case of letters, in what is billed or its details; all of them without one. */
export function foundLines<Line extends Pick<ShownLine, 'description' | 'details'>>(
  rows: readonly Line[],
  search: string,
): readonly Line[] {
  const wanted = search.trim().toLocaleLowerCase('en')
  if (wanted === '') return rows
  const has = (text: string) => text.toLocaleLowerCase('en').includes(wanted)
  return rows.filter(({ description, details }) => has(description) || has(details))
}

/** What lines come to, exactly and apart by currency: that of the invoice first. */
export function sumsOfLines(
  rows: readonly Pick<ShownLine, 'exact' | 'otherCurrency'>[],
  currency: string,
): { currency: string; amount: string }[] {
  const byCurrency = Map.groupBy(rows, ({ otherCurrency }) => otherCurrency ?? currency)
  const codes = [...byCurrency.keys()].sort((a, b) => Number(b === currency) - Number(a === currency))
  return codes.map((code) => ({
    currency: code,
    amount: sumOf((byCurrency.get(code) ?? []).map(({ exact }) => [exact, 1] as const)),
  }))
}
