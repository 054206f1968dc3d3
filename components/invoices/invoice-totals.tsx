import { moneyText } from '#components/money/money.tsx'
import type { Output } from '#lib/api/contract.ts'
import type { summarizeInvoices } from '#lib/invoices/contract.ts'

type Summary = Output<typeof summarizeInvoices>

/** How many invoices the filters select and what they come to: a line per currency, never added together. */
export function InvoiceTotals({ summary }: { summary: Summary | undefined }) {
  if (!summary) return null
  const { count, currencies } = summary
  const [only] = currencies
  return (
    <div
      role="status"
      // Where there is nothing, the empty state shows it; this says it.
      className={
        count === 0
          ? 'sr-only'
          : 'border-b border-line px-4 py-2.5 text-sm text-ink-2 tabular-nums max-md:px-3.5'
      }
    >
      <b className="font-semibold text-ink">{countText(count)}</b>
      {only && currencies.length === 1 ? (
        <>
          {' · '}
          <span className="whitespace-nowrap">total {moneyText(only.totalAmount, only.currency)}</span>
          {' · '}
          <span className="whitespace-nowrap">balance {moneyText(only.balanceAmount, only.currency)}</span>
        </>
      ) : (
        <ul className="mt-1 grid w-fit gap-x-6 gap-y-0.5 md:grid-cols-[repeat(3,auto)]">
          {currencies.map((sum) => (
            <li key={sum.currency} className="max-md:mt-1 md:col-span-3 md:grid md:grid-cols-subgrid">
              <span className="max-md:block md:text-right">{countText(sum.count)}</span>
              <span className="max-md:block md:text-right">
                total {moneyText(sum.totalAmount, sum.currency)}
              </span>
              <span className="max-md:block md:text-right">
                balance {moneyText(sum.balanceAmount, sum.currency)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function countText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'invoice' : 'invoices'}`
}
