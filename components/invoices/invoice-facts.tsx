import { Day } from '#components/dates/day.tsx'
import { Card } from '#components/ui/card.tsx'
import { Fact } from '#components/ui/fact.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { moneyText } from '#lib/money.ts'

/** When and how much, at a glance. */
export function InvoiceFacts({
  invoice,
  balance,
  late,
}: {
  invoice: Invoice
  /** What is left to pay, as text. */
  balance: { label: string; amount: string }
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
        <Fact label={balance.label}>
          <span className="text-lg font-[650] tracking-tight">{balance.amount}</span>
        </Fact>
      </dl>
    </Card>
  )
}
