import Link from 'next/link'
import { disambiguatingIssuer } from '#components/billing/invoices/numbers.ts'
import { invoiceHref } from '#components/billing/invoices/view.ts'
import { Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import { DescriptionItem } from '#components/ui/description-item.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/** Both invoices and their difference; `share` is the difference in percent, as text. */
export function ComparisonSummary({
  from,
  to,
  effect,
  share,
}: {
  from: Invoice
  to: Invoice
  effect: string
  share: string | undefined
}) {
  const issuerOf = disambiguatingIssuer([from, to])
  return (
    <Card className="mb-4 overflow-hidden">
      <dl className="-mt-px -ml-px grid grid-cols-1 md:grid-cols-3">
        <Side label="From" invoice={from} issuer={issuerOf(from)} />
        <Side label="To" invoice={to} issuer={issuerOf(to)} />
        <DescriptionItem label="Difference">
          <span className="text-lg font-[650] tracking-tight">
            {effect} {to.currency}
          </span>
          {share ? <span className="ml-2 text-sm text-ink-3">{share}</span> : null}
        </DescriptionItem>
      </dl>
    </Card>
  )
}

function Side({ label, invoice, issuer }: { label: string; invoice: Invoice; issuer: string | undefined }) {
  return (
    <DescriptionItem label={label}>
      <Link
        href={invoiceHref(invoice.id, '')}
        prefetch={false}
        className="rounded-sm underline decoration-line-2 underline-offset-2 hover:decoration-current"
      >
        {escapeInvisible(invoice.number)}
      </Link>
      <span className="ml-2 text-sm font-normal text-ink-3">
        <Day at={invoice.invoiceDate} />
      </span>
      {issuer ? <div className="text-sm font-normal text-ink-3">{escapeInvisible(issuer)}</div> : null}
      <div>{moneyText(invoice.totalAmount, invoice.currency)}</div>
    </DescriptionItem>
  )
}
