import Link from 'next/link'
import type { ReactNode } from 'react'
import { visible } from '#components/ui/visible.ts'
import type { InvoiceWithLines } from '#lib/invoices/contract.ts'
import { typeName } from '#lib/posting/rules.ts'

/** By what an invoice is posted; undefined where nobody told it. What the customer itself has set says so. */
export function postingFacts(invoice: InvoiceWithLines): Record<string, ReactNode>[] {
  const { purchaseOrder, buyerReference, costCenter, paymentTerms, typeCode, carried = [] } = invoice
  const shown = (field: string, value: string | undefined) =>
    value === undefined ? undefined : (
      <>
        {visible(value)}
        {carried.includes(field) ? (
          <Link
            href="/invoices/profiles"
            className="block w-fit rounded-sm text-xs font-normal text-ink-3 underline underline-offset-2 hover:text-ink"
          >
            from your posting details
          </Link>
        ) : null}
      </>
    )
  return [
    {
      'Purchase order': shown('purchaseOrder', purchaseOrder),
      'Buyer reference': shown('buyerReference', buyerReference),
      'Cost center': shown('costCenter', costCenter),
    },
    {
      'Payment terms': shown('paymentTerms', paymentTerms),
      'Document type': typeCode === undefined ? undefined : typeName(typeCode),
    },
  ]
}
