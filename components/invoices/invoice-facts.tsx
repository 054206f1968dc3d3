import type { ReactNode } from 'react'
import { Day } from '#components/dates/day.tsx'
import { moneyText } from '#components/money/money.tsx'
import { Card } from '#components/ui/card.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'

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

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 border-t border-l border-line px-4 py-3.5 max-md:px-3.5 max-md:py-3">
      <dt className="text-xs text-ink-3">{label}</dt>
      <dd className="mt-0.5 font-[550] break-words tabular-nums">{children}</dd>
    </div>
  )
}
