import type { ReactNode } from 'react'
import { Day } from '#components/dates/day.tsx'
import { Card } from '#components/ui/card.tsx'
import { Fact } from '#components/ui/fact.tsx'
import { DAY_MS, dayText } from '#lib/days.ts'
import type { InvoiceWithLines } from '#lib/invoices/contract.ts'
import { moneyText } from '#lib/money.ts'

/** When, how much, from whom and to whom, at a glance. Only of an issued invoice something is due. */
export function InvoiceFacts({
  invoice,
  billedTo,
  balance,
  late,
}: {
  invoice: InvoiceWithLines
  billedTo: string | undefined
  /** What is left to pay, as text. */
  balance: { label: string; amount: string }
  late: boolean
}) {
  const { currency, documentState, billingAccount, periodStart, periodEnd } = invoice
  const isIssued = documentState === 'issued'
  const period =
    periodStart !== undefined && periodEnd !== undefined
      ? `${dayText(periodStart)} – ${dayText(periodEnd - DAY_MS)}`
      : undefined
  return (
    <Card className="mb-4 overflow-hidden">
      <dl className="-mt-px -ml-px grid grid-cols-2 md:grid-cols-4">
        <Fact label={documentState === 'draft' ? 'Date' : 'Invoice date'}>
          <Day at={invoice.invoiceDate} />
        </Fact>
        {isIssued ? (
          <Fact label="Due">
            <span className={late ? 'text-danger' : ''}>
              <Day at={invoice.dueDate} />
            </span>
          </Fact>
        ) : null}
        <Fact label={documentState === 'draft' ? 'Total so far' : 'Total'}>
          {moneyText(invoice.totalAmount, currency)}
        </Fact>
        {isIssued ? (
          <Fact label={balance.label}>
            <span className="text-lg font-[650] tracking-tight">{balance.amount}</span>
          </Fact>
        ) : null}
        <Known label="Issuer">{invoice.issuer}</Known>
        <Known label="Billed to">{billedTo}</Known>
        <Known label="Billing account">{billingAccount}</Known>
        <Known label="Period">{period}</Known>
      </dl>
    </Card>
  )
}

/** A fact that may be unknown: then it is not there. */
function Known({ label, children }: { label: string; children: ReactNode }) {
  return children ? <Fact label={label}>{children}</Fact> : null
}
