import { Check, Info } from 'lucide-react'
import { Card } from '#components/ui/card.tsx'
import { visible } from '#components/ui/visible.ts'
import { type SeatNote, SeatNoteText } from './seat-note.tsx'

/** A line item as text; no details is empty text. The amount names its currency where that differs. */
export type ShownLine = {
  description: string
  details: string
  qty: string
  price: string
  amount: string
  /** What it is posted by, in one line; empty where nothing is told. */
  posting: string
  /** What the seats that we know say of it. */
  seats?: SeatNote | undefined
}
type Pair = { label: string; amount: string }
export type ShownSums = {
  /** Each price is that of its line, not of one unit. */
  perLine: boolean
  lineItems: string
  notItemized: string | undefined
  /** Net and tax, as far as they are told. */
  tax: Pair[]
  /** Whether the lines explain the total, in words. */
  verdict: string
  total: string
  /** What was paid; of a balance that nobody can pay exactly also it, and its rounding. */
  settled: Pair[]
  /** What can be paid, with its currency. */
  balance: Pair
  /** Why that is not the exact balance. */
  rounding: string | undefined
}

// Said once for the whole table, not on each cell: an invoice may have thousands of lines. On a phone
// the two columns in the middle make room, and each line says their product under its description.
const TABLE =
  'w-full border-collapse [&_td]:border-b [&_td]:border-line [&_td]:px-4 [&_td]:py-2.5 [&_td]:align-top max-md:[&_td]:px-3.5 [&_th]:border-b [&_th]:border-line [&_th]:px-4 [&_th]:py-2 [&_th]:text-left [&_th]:text-xs [&_th]:font-medium [&_th]:whitespace-nowrap [&_th]:text-ink-3 max-md:[&_th]:px-3.5 [&_.n]:text-right [&_.n]:tabular-nums [&_td.n]:whitespace-nowrap [&_.d]:text-sm [&_.d]:text-ink-3 [&_td]:[overflow-wrap:anywhere] max-md:[&_.wide]:hidden md:[&_small]:hidden [&_small]:block [&_small]:text-xs [&_small]:text-ink-3 [&_small]:tabular-nums'

/** What an invoice bills for, and what it comes to. */
export function InvoiceLines({
  rows,
  sums,
  seats,
}: {
  rows: readonly ShownLine[]
  sums: ShownSums
  /** What the seats that we know say of all lines. */
  seats?: SeatNote | undefined
}) {
  const detailed = rows.some(({ details }) => details !== '')
  return (
    <>
      <Card>
        <table aria-label="Line items" className={TABLE}>
          <thead>
            <tr>
              <th scope="col" className={detailed ? 'md:w-2/5' : 'w-full'}>
                Description
              </th>
              {detailed ? (
                <th scope="col" className="wide">
                  Details
                </th>
              ) : null}
              <th scope="col" className="n wide">
                Qty
              </th>
              <th scope="col" className="n wide">
                {sums.perLine ? 'Price per line' : 'Price per unit'}
              </th>
              <th scope="col" className="n">
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
              <tr key={index}>
                <td>
                  {visible(row.description)}
                  {row.details ? <small>{visible(row.details)}</small> : null}
                  <small>{sums.perLine ? `${row.qty} for ${row.price}` : `${row.qty} × ${row.price}`}</small>
                  {row.posting ? (
                    <span className="block text-xs text-ink-3">{visible(row.posting)}</span>
                  ) : null}
                  {row.seats ? <SeatNoteText note={row.seats} /> : null}
                </td>
                {detailed ? <td className="d wide">{visible(row.details)}</td> : null}
                <td className="n wide">{row.qty}</td>
                <td className="n wide">{row.price}</td>
                <td className="n">{row.amount}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <dl className="ml-auto max-w-96 tabular-nums">
          <Sum label="Line items" amount={sums.lineItems} />
          {sums.notItemized ? <Sum label="Not itemized" amount={sums.notItemized} /> : null}
          {sums.tax.map((one) => (
            <Sum key={one.label} {...one} />
          ))}
          {sums.notItemized || sums.tax.length > 0 ? <Sum label="Total" amount={sums.total} /> : null}
          {sums.settled.map((one) => (
            <Sum key={one.label} {...one} />
          ))}
          <div className="flex flex-wrap justify-between gap-x-4 px-4 py-3 font-[650] max-md:px-3.5">
            <dt>{sums.balance.label}</dt>
            <dd>{sums.balance.amount}</dd>
          </div>
        </dl>
        {sums.rounding ? (
          <p className="px-4 pb-3 text-right text-sm text-ink-2 max-md:px-3.5">{sums.rounding}</p>
        ) : null}
      </Card>
      <Verdict text={sums.verdict} fits={sums.notItemized === undefined} />
      {seats ? <Verdict text={seats.text} fits={seats.tone === 'ok'} /> : null}
    </>
  )
}

function Sum({ label, amount }: Pair) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-b border-line px-4 py-2.5 max-md:px-3.5">
      <dt className="text-sm text-ink-3">{label}</dt>
      <dd>{amount}</dd>
    </div>
  )
}

/** What is said of the whole: that something fits, or does not. */
export function Verdict({ text, fits }: { text: string; fits: boolean }) {
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
