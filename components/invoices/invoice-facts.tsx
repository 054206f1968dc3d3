import { Day } from '#components/dates/day.tsx'
import { Card } from '#components/ui/card.tsx'
import { Fact } from '#components/ui/fact.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { moneyText } from '#lib/money.ts'

/** When and how much, at a glance. */
export function InvoiceFacts({
  invoice,
  balanceLabel,
  late,
}: {
  invoice: Invoice
  balanceLabel: string
  late: boolean
}) {
  const { currency } = invoice
  return (
    <Card className="mb-4 overflow-hidden">
      <dl className="-mt-px -ml-px grid grid-cols-2 md:grid-cols-4">
        <Fact label="Invoice date">
          <Day at={invoice.invoiceDate} />
        </Fact>
        <Fact label="Due">
          <span className={late ? 'text-danger' : ''}>
            <Day at={invoice.dueDate} />
          </span>
        </Fact>
        <Fact label="Total">{moneyText(invoice.totalAmount, currency)}</Fact>
        <Fact label={balanceLabel}>
          <span className="text-lg font-[650] tracking-tight">
            {moneyText(invoice.balanceAmount, currency)}
          </span>
        </Fact>
      </dl>
    </Card>
  )
}
