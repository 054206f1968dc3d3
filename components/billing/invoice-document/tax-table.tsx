import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Tax of one category and rate, as text. */
export type TaxView = { category: string; rate: string; taxable: string; tax: string; reason: string }

const CELL = 'border-t border-line px-4 py-2.5 align-top max-md:px-3.5'
const NUMBER = `${CELL} text-right tabular-nums`
const HEADER_CLASS = 'px-4 py-2 text-xs font-medium text-ink-3 max-md:px-3.5 md:whitespace-nowrap'

/** Tax of an invoice by category and rate. */
export function TaxTable({ rows, currency, note }: { rows: TaxView[]; currency: string; note: string }) {
  return (
    <Card className="mt-4">
      <table aria-label="Tax" className="w-full border-collapse">
        <thead>
          <tr>
            <th scope="col" className={`${HEADER_CLASS} w-full text-left`}>
              Tax
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-right`}>
              Rate
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-right`}>
              Taxable ({currency})
            </th>
            <th scope="col" className={`${HEADER_CLASS} text-right`}>
              Tax ({currency})
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ category, rate, taxable, tax, reason }) => (
            <tr key={`${category} ${rate} ${taxable}`}>
              <th scope="row" className={`${CELL} text-left font-normal wrap-anywhere`}>
                {category}
                {reason ? <span className="block text-sm text-ink-3">{escapeInvisible(reason)}</span> : null}
              </th>
              <td className={`${NUMBER} whitespace-nowrap`}>{rate}</td>
              <td className={NUMBER}>{taxable}</td>
              <td className={NUMBER}>{tax}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2.5 text-sm text-ink-3 max-md:px-3.5">{note}</p>
    </Card>
  )
}
