'use client'

import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#components/ui/button.tsx'
import { countText } from '#components/ui/count-text.ts'
import { SearchInput } from '#components/ui/search-input.tsx'
import { moneyText, sumOf } from '#lib/platform/values/money.ts'
import { LinesTable, type LineView } from './lines-table.tsx'

/** Number of lines drawn per page: an invoice may have thousands. */
const PAGE_SIZE = 100

/**
 * Line items of an invoice. Draws one page of a long list; the search covers all lines and shows the sum of the
 * matches. Printing draws all lines.
 */
export function LongLines({
  rows,
  perLine,
  currency,
}: {
  rows: readonly LineView[]
  perLine: boolean
  currency: string
}) {
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const isPrinting = useIsPrinting()
  const matches = useMemo(() => matchLines(rows, search), [rows, search])
  const detailed = useMemo(() => rows.some(({ details }) => details !== ''), [rows])
  const pages = Math.ceil(matches.length / PAGE_SIZE)
  const visibleRows = isPrinting ? matches : matches.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  if (rows.length <= PAGE_SIZE) return <LinesTable rows={rows} perLine={perLine} detailed={detailed} />
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 max-md:px-3.5">
        <SearchInput
          label="Search line items"
          value={search}
          onSearch={(text) => {
            setSearch(text)
            setPage(0)
          }}
        />
        <p role="status" className="text-sm text-ink-2 tabular-nums">
          {matchesText(matches, rows.length, currency)}
        </p>
      </div>
      {matches.length > 0 ? <LinesTable rows={visibleRows} perLine={perLine} detailed={detailed} /> : null}
      {pages > 1 ? <Pages page={page} pages={pages} count={matches.length} onPage={setPage} /> : null}
    </>
  )
}

/** Returns `3,000 lines`, `12 of 3,000 lines · 1,204.00 USD`. */
function matchesText(matches: readonly LineView[], all: number, currency: string): string {
  if (matches.length === all) return `${countText(all)} lines`
  const sums = sumsOfLines(matches, currency).map((sum) => moneyText(sum.amount, sum.currency))
  return [`${countText(matches.length)} of ${countText(all)} lines`, ...sums].join(' · ')
}

function Pages({
  page,
  pages,
  count,
  onPage,
}: {
  page: number
  pages: number
  count: number
  onPage: (page: number) => void
}) {
  return (
    <nav
      aria-label="Pages of line items"
      className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2 max-md:px-3.5 print:hidden"
    >
      <span role="status" className="text-sm text-ink-2 tabular-nums">
        {`${countText(page * PAGE_SIZE + 1)} to ${countText(Math.min(count, (page + 1) * PAGE_SIZE))} of ${countText(count)}`}
      </span>
      <span className="flex gap-2">
        <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous lines
        </Button>
        <Button disabled={page + 1 === pages} onClick={() => onPage(page + 1)}>
          Next lines
        </Button>
      </span>
    </nav>
  )
}

/** Returns whether the page is being printed. Renders synchronously, because the browser does not wait for effects. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    const begin = () => flushSync(() => setIsPrinting(true))
    const end = () => setIsPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

/** Returns the lines whose description or details contain `search`, ignoring case; all lines for an empty search. */
export function matchLines<Line extends Pick<LineView, 'description' | 'details'>>(
  rows: readonly Line[],
  search: string,
): readonly Line[] {
  const query = search.trim().toLocaleLowerCase('en')
  if (query === '') return rows
  const has = (text: string) => text.toLocaleLowerCase('en').includes(query)
  return rows.filter(({ description, details }) => has(description) || has(details))
}

/** Returns the exact sums of lines per currency, the invoice's currency first. */
export function sumsOfLines(
  rows: readonly Pick<LineView, 'exact' | 'otherCurrency'>[],
  currency: string,
): { currency: string; amount: string }[] {
  const byCurrency = Map.groupBy(rows, ({ otherCurrency }) => otherCurrency ?? currency)
  const codes = [...byCurrency.keys()].sort((a, b) => Number(b === currency) - Number(a === currency))
  return codes.map((code) => ({
    currency: code,
    amount: sumOf((byCurrency.get(code) ?? []).map(({ exact }) => [exact, 1] as const)),
  }))
}
