import Link from 'next/link'
import { hrefOf, isFiltered, type View } from '#components/invoices/view.ts'
import { Card } from '#components/ui/card.tsx'
import { GoLink } from '#components/ui/go-link.tsx'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { InvoiceSummary } from '#lib/invoices/contract.ts'
import { formatAmount } from '#lib/money.ts'
import { type Figure, type FigureSet, figuresOf } from './figures-of.ts'

type Go = (view: View) => void

/** What is outstanding, late, due soon and newly billed of what the view selects; two currencies are never added. */
export function Figures({ summary, view, onGo }: { summary: InvoiceSummary; view: View; onGo: Go }) {
  const sets = figuresOf(summary, view)
  const [only] = sets
  if (!only) return null
  const what = isFiltered(view) ? 'Only what is filtered' : 'All invoices'
  return (
    <section aria-label="Figures" className="mb-4">
      <p className="mb-1.5 text-xs text-ink-3">{what}</p>
      {sets.length === 1 ? <Cards {...only} onGo={onGo} /> : <PerCurrency sets={sets} onGo={onGo} />}
    </section>
  )
}

// On phones one card with a line per figure: there is no room for two amounts side by side.
const LINE =
  'max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-baseline max-md:gap-x-3 [&>.note]:text-xs [&>.note]:text-ink-3 max-md:[&>.note]:col-span-2 max-md:[&>.note]:text-right'

/** One currency: a card for each figure. */
function Cards({ currency, figures, onGo }: FigureSet & { onGo: Go }) {
  const isLong = figures.some(({ amount }) => formatAmount(amount, currency).length > 13)
  const size = `max-md:text-base max-md:font-semibold ${isLong ? 'text-lg font-[650]' : 'text-title'}`
  return (
    <dl className="max-md:divide-y max-md:divide-line max-md:rounded-card max-md:border max-md:border-line max-md:bg-surface max-md:shadow-card md:grid md:grid-cols-2 md:gap-3 xl:grid-cols-4">
      {figures.map((figure) => (
        <div
          key={figure.name}
          className={`px-4 py-3.5 max-md:py-2.5 md:rounded-card md:border md:border-line md:bg-surface md:shadow-card ${LINE}`}
        >
          <dt className="text-xs text-ink-3 max-md:text-sm max-md:text-ink-2">{figure.name}</dt>
          <dd className={`md:my-0.5 ${size}`}>
            <Amount figure={figure} currency={currency} />
          </dd>
          <dd className="note">
            <Note figure={figure} onGo={onGo} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Several currencies: a row for each, so that amounts of one kind stand in one column. */
function PerCurrency({ sets, onGo }: { sets: FigureSet[]; onGo: Go }) {
  return (
    <Card className="overflow-x-auto max-xl:[&_td]:px-2 max-xl:[&_th]:px-2 max-xl:[&_th]:whitespace-normal max-md:overflow-visible max-md:[&_td]:px-0">
      <Table label="Figures per currency">
        <TableHead>
          <HeadCell>Currency</HeadCell>
          {sets[0]?.figures.map(({ name }) => (
            <HeadCell key={name} right>
              {name}
            </HeadCell>
          ))}
        </TableHead>
        <TableBody>
          {sets.map(({ currency, figures }) => (
            <Row key={currency}>
              <Cell className="font-semibold max-md:col-span-2">{currency}</Cell>
              {figures.map((figure) => (
                <Cell key={figure.name} place="across" right className={LINE}>
                  <span className="text-sm text-ink-2 md:hidden">{figure.name}</span>
                  <span className="font-semibold md:block">
                    <Amount figure={figure} currency={currency} />
                  </span>
                  <span className="note md:block">
                    <Note figure={figure} onGo={onGo} />
                  </span>
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

function Amount({ figure, currency }: { figure: Figure; currency: string }) {
  return (
    <span className={`whitespace-nowrap tabular-nums ${figure.late ? 'text-danger' : ''}`}>
      {formatAmount(figure.amount, currency)}{' '}
      <span className="text-xs font-medium tracking-normal text-ink-3">{currency}</span>
    </span>
  )
}

function Note({ figure: { name, note, view, explained }, onGo }: { figure: Figure; onGo: Go }) {
  if (explained)
    return (
      <Link
        href={explained}
        prefetch={false}
        className="rounded-sm text-ink-2 underline underline-offset-2 hover:text-ink"
      >
        <span className="sr-only">Explain: </span>
        {note}
      </Link>
    )
  if (!view) return note
  return (
    <GoLink
      href={hrefOf(view)}
      onGo={() => onGo(view)}
      className="rounded-sm text-ink-2 underline underline-offset-2 hover:text-ink"
    >
      <span className="sr-only">{name}: </span>
      {note}
    </GoLink>
  )
}
