import { invoicesText } from '#components/billing/invoices/stat.ts'
import { countText } from '#components/ui/count-text.ts'
import type { summarizeInvoices } from '#lib/billing/invoices/contract.ts'
import type { Output } from '#lib/platform/api/contract.ts'
import { moneyText } from '#lib/platform/values/money.ts'

type Summary = Output<typeof summarizeInvoices>

/**
 * Shows the number and total of the selected invoices; with several currencies, the stats show the totals. `isOwed`:
 * there may be a balance, because issued invoices are among them.
 */
export function InvoiceTotals({ summary, isOwed }: { summary: Summary; isOwed: boolean }) {
  const { count, currencies } = summary
  const [only] = currencies
  return (
    <p role="status">
      <b className="font-semibold text-ink">{invoicesText(count)}</b>
      {only && currencies.length === 1 ? (
        <>
          {' · '}
          <span className="whitespace-nowrap">
            total {moneyText(only.totalAmountText ?? only.totalAmount, only.currency)}
          </span>
          {isOwed ? (
            <>
              {' · '}
              <span className="whitespace-nowrap">{balanceText(only)}</span>
            </>
          ) : null}
        </>
      ) : (
        currencies.map((sum) => (
          <span key={sum.currency}>
            {' · '}
            <span className="whitespace-nowrap">
              {countText(sum.count)} in {sum.currency}
            </span>
          </span>
        ))
      )}
    </p>
  )
}

/** A negative balance is the customer's credit. */
function balanceText({ balanceAmount, balanceAmountText, currency }: Summary['currencies'][number]): string {
  const exact = String(balanceAmountText ?? balanceAmount)
  if (balanceAmount < 0) return `credit ${moneyText(exact.replace('-', ''), currency)}`
  return `balance ${moneyText(exact, currency)}`
}
