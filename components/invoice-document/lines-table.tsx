import { visible } from '#components/ui/visible.ts'
import { LineRows, type ShownLineCharges } from './line-charges.tsx'
import { type SeatNote, SeatNoteText } from './seat-note.tsx'

/** A line item as text; no details is empty text. The amount names its currency where that differs. */
export type ShownLine = {
  /** Its place among all of them. */
  place: number
  description: string
  details: string
  qty: string
  price: string
  amount: string
  /** The amount exactly, as the wire has it, and its currency where that is not the invoice's. */
  exact: number
  otherCurrency?: string
  /** What it is posted by, in one line; empty where nothing is told. */
  posting: string
  /** What the seats that we know say of it. */
  seats?: SeatNote | undefined
  /** The charges that lead to it. */
  charges?: ShownLineCharges | undefined
}
// Said once for the whole table, not on each cell: an invoice may have thousands of lines. On a phone
// the two columns in the middle make room, and each line says their product under its description.
const TABLE =
  'w-full border-collapse [&_td]:border-b [&_td]:border-line [&_td]:px-4 [&_td]:py-2.5 [&_td]:align-top max-md:[&_td]:px-3.5 [&_th]:border-b [&_th]:border-line [&_th]:px-4 [&_th]:py-2 [&_th]:text-left [&_th]:text-xs [&_th]:font-medium [&_th]:whitespace-nowrap [&_th]:text-ink-3 max-md:[&_th]:px-3.5 [&_.n]:text-right [&_.n]:tabular-nums [&_td.n]:whitespace-nowrap [&_.d]:text-sm [&_.d]:text-ink-3 [&_tbody_th]:text-base! [&_tbody_th]:font-normal! [&_tbody_th]:text-ink! [&_tbody_th]:whitespace-normal! [&_tbody_th]:py-2.5! [&_tbody_th]:align-top [&_td]:[overflow-wrap:anywhere] [&_tbody_th]:[overflow-wrap:anywhere] [&_td.n]:[overflow-wrap:normal]! max-md:[&_.wide]:hidden md:[&_small]:hidden [&_small]:block [&_small]:text-xs [&_small]:text-ink-3 [&_small]:tabular-nums'

/** Line items as a table; `detailed` where any line of the invoice has details. */
export function LinesTable({
  rows,
  perLine,
  detailed,
}: {
  rows: readonly ShownLine[]
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
                  {visible(row.description)}
                  {row.details ? <small>{visible(row.details)}</small> : null}
                  <small>{perLine ? `${row.qty} for ${row.price}` : `${row.qty} × ${row.price}`}</small>
                  {row.posting ? (
                    <span className="block text-xs text-ink-3">{visible(row.posting)}</span>
                  ) : null}
                  {row.seats ? <SeatNoteText note={row.seats} /> : null}
                  {charges}
                </th>
                {detailed ? <td className="d wide">{visible(row.details)}</td> : null}
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
