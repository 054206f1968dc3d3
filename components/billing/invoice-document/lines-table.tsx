import { Check, History, TriangleAlert } from 'lucide-react'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { type LineChargesView, LineRows } from './line-charges.tsx'

/** Line item as text; missing details are an empty text. The amount includes its currency where that differs. */
export type LineView = {
  /** Position among all lines. */
  place: number
  description: string
  details: string
  qty: string
  price: string
  amount: string
  /** Exact amount as on the wire, and its currency where that is not the invoice's. */
  exact: number
  otherCurrency?: string
  /** Accounting details of the line, as one line of text; empty where there are none. */
  posting: string
  /** Comparison of the line with the known seats. */
  seats?: SeatNote | undefined
  /** Charges of the line. */
  charges?: LineChargesView | undefined
}
// Styles of the table's cells, but not of the cells of nested charges. One class list on the table instead of one on
// each cell: an invoice may have thousands of lines. On a phone the two middle columns are hidden, and each line shows
// their product under its description.
const TABLE =
  'w-full border-collapse [&>tbody>tr>td]:border-b [&>tbody>tr>td]:border-line [&>tbody>tr>td]:px-4 [&>tbody>tr>td]:py-2.5 [&>tbody>tr>td]:align-top max-md:[&>tbody>tr>td]:px-3.5 [&>*>tr>th]:border-b [&>*>tr>th]:border-line [&>*>tr>th]:px-4 [&>*>tr>th]:py-2 [&>*>tr>th]:text-left [&>*>tr>th]:text-xs [&>*>tr>th]:font-medium [&>*>tr>th]:whitespace-nowrap [&>*>tr>th]:text-ink-3 max-md:[&>*>tr>th]:px-3.5 [&_.n]:text-right [&_.n]:tabular-nums [&>tbody>tr>td.n]:whitespace-nowrap [&_.d]:text-sm [&_.d]:text-ink-3 [&>tbody>tr>th]:text-base [&>tbody>tr>th]:font-normal [&>tbody>tr>th]:text-ink [&>tbody>tr>th]:whitespace-normal [&>tbody>tr>th]:py-2.5 [&>tbody>tr>th]:align-top [&>tbody>tr>td]:[overflow-wrap:anywhere] [&>tbody>tr>th]:[overflow-wrap:anywhere] [&>tbody>tr>td.n]:[overflow-wrap:normal] max-md:[&_.wide]:hidden md:[&_small]:hidden [&_small]:block [&_small]:text-xs [&_small]:text-ink-3 [&_small]:tabular-nums'

/** Line items as a table; `detailed` where any line of the invoice has details. */
export function LinesTable({
  rows,
  perLine,
  detailed,
}: {
  rows: readonly LineView[]
  perLine: boolean
  detailed: boolean
}) {
  return (
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
            {perLine ? 'Price per line' : 'Price per unit'}
          </th>
          <th scope="col" className="n">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <LineRows key={row.place} name={row.description} charges={row.charges} columns={detailed ? 5 : 4}>
            {(charges) => (
              <>
                <th scope="row">
                  {escapeInvisible(row.description)}
                  {row.details ? <small>{escapeInvisible(row.details)}</small> : null}
                  <small>{perLine ? `${row.qty} for ${row.price}` : `${row.qty} × ${row.price}`}</small>
                  {row.posting ? (
                    <span className="block text-xs text-ink-3">{escapeInvisible(row.posting)}</span>
                  ) : null}
                  {row.seats ? <SeatNoteText note={row.seats} /> : null}
                  {charges}
                </th>
                {detailed ? <td className="d wide">{escapeInvisible(row.details)}</td> : null}
                <td className="n wide">{row.qty}</td>
                <td className="n wide">{row.price}</td>
                <td className="n">{row.amount}</td>
              </>
            )}
          </LineRows>
        ))}
      </tbody>
    </table>
  )
}

/** Comparison of a line with the known seats. */
export type SeatNote = { tone: 'ok' | 'info' | 'warn'; text: string }

const ICONS = { ok: Check, info: History, warn: TriangleAlert }
const TONES = { ok: 'text-accent', info: 'text-info', warn: 'text-warn' }

function SeatNoteText({ note }: { note: SeatNote }) {
  const Icon = ICONS[note.tone]
  return (
    <span className={`mt-0.5 flex items-start gap-1.5 text-xs ${TONES[note.tone]}`}>
      <Icon aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
      {note.text}
    </span>
  )
}
