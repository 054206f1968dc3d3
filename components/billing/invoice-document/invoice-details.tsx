import Link from 'next/link'
import type { ReactNode } from 'react'
import { Day } from '#components/platform/values/times.tsx'
import { Card } from '#components/ui/card.tsx'
import { DescriptionItem } from '#components/ui/description-item.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { isCreditNote } from '#lib/billing/invoices/rules.ts'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { typeName } from '#lib/platform/values/invoice-codes.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/** Dates, amounts, issuer and recipient of an invoice. An amount is due only if the invoice is issued. */
export function InvoiceDetails({
  invoice,
  billedTo,
  countries,
  balance,
  isPastDue,
  maySet,
}: {
  invoice: InvoiceWithLines
  billedTo: string | undefined
  /** Names of the issuer's and the recipient's countries, if known. */
  countries: { seller: string | undefined; buyer: string | undefined }
  /** Amount left to pay, as text. */
  balance: { label: string; amount: string }
  isPastDue: boolean
  /** Whether the member may edit the posting details of the next invoices. */
  maySet: boolean
}) {
  const { documentState, currency, paymentTerms } = invoice
  const date = <Day at={invoice.invoiceDate} />
  const total = <span className="whitespace-nowrap">{moneyText(invoice.totalAmount, currency)}</span>
  const due = (
    <span className={isPastDue ? 'text-danger' : ''}>
      <Day at={invoice.dueDate} />
      {paymentTerms ? (
        <span className="block text-xs font-normal text-ink-3">{escapeInvisible(paymentTerms)}</span>
      ) : null}
    </span>
  )
  const left = <span className="text-lg font-[650] tracking-tight whitespace-nowrap">{balance.amount}</span>
  const amounts = {
    draft: { Date: date, 'Total so far': total },
    issued: {
      'Invoice date': date,
      ...(isCreditNote(invoice) ? {} : { Due: due }),
      Total: total,
      [balance.label]: left,
    },
    voided: { 'Invoice date': date, Total: total },
  }
  const extraDetails = {
    Issuer: <Placed name={escapeInvisible(invoice.issuer)} country={countries.seller} />,
    'Billed to': billedTo && <Placed name={billedTo} country={countries.buyer} />,
    'Billing account': invoice.billingAccount,
    Period: periodText(invoice),
    ...postingDetails(invoice, maySet),
  }
  return (
    <Card className="mb-4 overflow-hidden">
      <DetailList details={amounts[documentState]} />
      <DetailList details={extraDetails} />
      {/* Carried values already link to the posting details. */}
      {maySet && !invoice.carried?.length ? (
        <p className="px-4 py-2.5 text-xs text-ink-3 max-md:px-3.5 print:hidden">
          Defaults for new invoices:{' '}
          <Link
            href="/invoices/profiles"
            prefetch={false}
            className="rounded-sm underline underline-offset-2 hover:text-ink"
          >
            purchase order, reference and cost center
          </Link>
        </p>
      ) : null}
    </Card>
  )
}

/** Row of the details that are known: four columns, aligned with the other rows, and amounts are never cut off. */
function DetailList({ details }: { details: Record<string, ReactNode> }) {
  const present = Object.entries(details).filter(([, value]) => value)
  if (present.length === 0) return null
  return (
    <dl className="-mt-px -ml-px flex flex-wrap border-b border-line last:border-b-0 [&>*]:min-w-min [&>*]:grow [&>*]:basis-2/5 md:[&>*]:basis-1/4 md:[&>*]:grow-0 [&_dd]:wrap-anywhere">
      {present.map(([label, value]) => (
        <DescriptionItem key={label} label={label}>
          {value}
        </DescriptionItem>
      ))}
    </dl>
  )
}

/** Party with its country, where known. */
function Placed({ name, country }: { name: string; country: string | undefined }) {
  if (!country) return name
  return (
    <>
      {name}
      <span className="block text-xs font-normal text-ink-3">{country}</span>
    </>
  )
}

/** Returns the period with its last day; undefined where the invoice has none. */
function periodText({ periodStart, periodEnd }: InvoiceWithLines): string | undefined {
  if (periodStart === undefined || periodEnd === undefined) return undefined
  // No line break within a date.
  return [periodStart, periodEnd - DAY_MS].map((day) => dayText(day).replaceAll(' ', '\u00a0')).join(' – ')
}

/**
 * Returns the posting details of an invoice; undefined where the invoice has none. Values that the customer has set are
 * marked.
 * @param maySet whether the member may set these values: then the mark links to the form
 */
function postingDetails(invoice: InvoiceWithLines, maySet: boolean): Record<string, ReactNode> {
  const {
    purchaseOrder,
    buyerReference,
    costCenter,
    paymentTerms,
    typeCode,
    documentState,
    carried = [],
  } = invoice
  const detail = (field: string, value: string | undefined) =>
    value === undefined ? undefined : (
      <>
        {escapeInvisible(value)}
        {carried.includes(field) ? <FromDetails maySet={maySet} /> : null}
      </>
    )
  return {
    'Purchase order': detail('purchaseOrder', purchaseOrder),
    'Buyer reference': detail('buyerReference', buyerReference),
    'Cost center': detail('costCenter', costCenter),
    // An issued invoice shows the terms below its due date.
    'Payment terms': paymentTerms && documentState !== 'issued' && (
      <span className="text-sm font-normal">{escapeInvisible(paymentTerms)}</span>
    ),
    'Document type': typeCode && <span className="text-sm font-normal">{typeName(typeCode)}</span>,
  }
}

function FromDetails({ maySet }: { maySet: boolean }) {
  const text = 'from your accounting details'
  if (!maySet) return <span className="block text-xs font-normal text-ink-3">{text}</span>
  return (
    <Link
      href="/invoices/profiles"
      prefetch={false}
      className="block w-fit rounded-sm text-xs font-normal text-ink-3 underline underline-offset-2 hover:text-ink"
    >
      {text}
    </Link>
  )
}
