import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** What settles an invoice, or settled it, as text. */
export type PaymentView = {
  id: string
  date: string
  name: string
  /** Reference, and how it was paid; empty if unknown. */
  details: string
  /** Day and reason of its reversal; undefined if it is not reversed. */
  reversal: string | undefined
  amount: string
}

const CELL = 'border-t border-line px-4 py-2.5 align-top max-md:px-3.5'
const HEADER_CLASS = 'px-4 py-2 text-xs font-medium text-ink-3 max-md:px-3.5 md:whitespace-nowrap'

/** Payments, credits and write-offs of an invoice. */
export function PaymentTable({
  rows,
  currency,
  balance,
}: {
  rows: readonly PaymentView[]
  currency: string
  balance: { label: string; amount: string }
}) {
  return (
    <Card className="mt-4">
      <table aria-label="Payments and credits" className="w-full border-collapse">
        <thead>
          <tr>
            <th scope="col" className={`${HEADER_CLASS} w-full text-left`}>
              Payments and credits
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-left`}>
              Date
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-right`}>
              Amount ({currency})
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, date, name, details, reversal, amount }) => (
            <tr key={id}>
              <th scope="row" className={`${CELL} text-left font-normal wrap-anywhere`}>
                {name}
                {details ? (
                  <span className="block text-sm text-ink-3">{escapeInvisible(details)}</span>
                ) : null}
                {reversal ? (
                  <span className="block text-sm text-warn">{escapeInvisible(reversal)}</span>
                ) : null}
              </th>
              <td className={`${CELL} whitespace-nowrap tabular-nums`}>{date}</td>
              <td className={`${CELL} text-right tabular-nums whitespace-nowrap`}>
                {reversal ? <s>{amount}</s> : amount}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2} className={`${CELL} text-left font-[650]`}>
              {balance.label}
            </th>
            <td className={`${CELL} text-right font-[650] whitespace-nowrap tabular-nums`}>
              {balance.amount}
            </td>
          </tr>
        </tfoot>
      </table>
    </Card>
  )
}
