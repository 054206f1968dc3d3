import { Check, Info } from 'lucide-react'
import { Card } from '#components/ui/card.tsx'
import type { LineView, SeatNote } from './lines-table.tsx'
import { LongLines } from './long-lines.tsx'

type Pair = { label: string; amount: string }
export type SumsView = {
  /** Prices are per line, not per unit. */
  perLine: boolean
  lineItems: string
  notItemized: string | undefined
  /** Net and tax, if the invoice contains them. */
  tax: Pair[]
  /** Difference between the lines and the total; empty where they add up. */
  resultText: string
  total: string
  /** Amount paid; where the balance can't be paid exactly, also the exact balance and its rounding. */
  paid: Pair[]
  /** Payable balance, with its currency. */
  balance: Pair
  /** Reason why the payable balance is not the exact one. */
  rounding: string | undefined
}

/** Lines of an invoice and their sums. */
export function InvoiceLines({
  rows,
  sums,
  currency,
  seats,
}: {
  rows: readonly LineView[]
  currency: string
  sums: SumsView
  /** Comparison of all lines with the known seats. */
  seats?: SeatNote | undefined
}) {
  return (
    <>
      <Card>
        <LongLines rows={rows} perLine={sums.perLine} currency={currency} />
        <dl className="ml-auto max-w-96 tabular-nums">
          <Sum label="Line items" amount={sums.lineItems} />
          {sums.notItemized ? <Sum label="Not itemized" amount={sums.notItemized} /> : null}
          {sums.tax.map((one) => (
            <Sum key={one.label} {...one} />
          ))}
          {sums.notItemized || sums.tax.length > 0 ? <Sum label="Total" amount={sums.total} /> : null}
          {sums.paid.map((one) => (
            <Sum key={one.label} {...one} />
          ))}
          <div className="flex flex-wrap justify-between gap-x-4 px-4 py-3 font-[650] max-md:px-3.5">
            <dt>{sums.balance.label}</dt>
            <dd className="whitespace-nowrap">{sums.balance.amount}</dd>
          </div>
        </dl>
        {sums.rounding ? (
          <p className="px-4 pb-3 text-right text-sm text-ink-2 max-md:px-3.5">{sums.rounding}</p>
        ) : null}
      </Card>
      {sums.resultText ? (
        <SeatCheckNote text={sums.resultText} fits={sums.notItemized === undefined} />
      ) : null}
      {seats ? <SeatCheckNote text={seats.text} fits={seats.tone === 'ok'} /> : null}
    </>
  )
}

function Sum({ label, amount }: Pair) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-b border-line px-4 py-2.5 max-md:px-3.5">
      <dt className="text-sm text-ink-3">{label}</dt>
      <dd className="whitespace-nowrap">{amount}</dd>
    </div>
  )
}

/** Result of a check of all lines: whether they match. */
export function SeatCheckNote({ text, fits }: { text: string; fits: boolean }) {
  const Icon = fits ? Check : Info
  return (
    <p
      className={`mt-4 flex items-center gap-2.5 rounded-card px-4 py-2.5 text-sm ${fits ? 'bg-accent-tint text-accent' : 'bg-warn-tint text-warn'}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      {text}
    </p>
  )
}
