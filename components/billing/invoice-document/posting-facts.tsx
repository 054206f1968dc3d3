import Link from 'next/link'
import type { ReactNode } from 'react'
import { visible } from '#components/ui/visible.ts'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { typeName } from '#lib/billing/posting/rules.ts'

/**
 * By what an invoice is posted; undefined where nobody told it. What the customer itself has set says so.
 * @param maySet whether the reader may set that: then it leads there
 */
export function postingFacts(invoice: InvoiceWithLines, maySet: boolean): Record<string, ReactNode> {
  const {
    purchaseOrder,
    buyerReference,
    costCenter,
    paymentTerms,
    typeCode,
    documentState,
    carried = [],
  } = invoice
  const shown = (field: string, value: string | undefined) =>
    value === undefined ? undefined : (
      <>
        {visible(value)}
        {carried.includes(field) ? <FromDetails maySet={maySet} /> : null}
      </>
    )
  return {
    'Purchase order': shown('purchaseOrder', purchaseOrder),
    'Buyer reference': shown('buyerReference', buyerReference),
    'Cost center': shown('costCenter', costCenter),
    // Of what is issued they stand with the day when it is due.
    'Payment terms': paymentTerms && documentState !== 'issued' && (
      <span className="text-sm font-normal">{visible(paymentTerms)}</span>
    ),
    'Document type': typeCode && <span className="text-sm font-normal">{typeName(typeCode)}</span>,
  }
}

function FromDetails({ maySet }: { maySet: boolean }) {
  const words = 'from your posting details'
  if (!maySet) return <span className="block text-xs font-normal text-ink-3">{words}</span>
  return (
    <Link
      href="/invoices/profiles"
      prefetch={false}
      className="block w-fit rounded-sm text-xs font-normal text-ink-3 underline underline-offset-2 hover:text-ink"
    >
      {words}
    </Link>
  )
}
