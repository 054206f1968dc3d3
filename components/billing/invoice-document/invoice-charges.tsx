'use client'

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { exportCharges, exportChargesXlsx } from '#lib/billing/client.ts'
import { ChargeList } from './charge-list.tsx'

/** Comparison of an invoice with its charges, as text. */
export type ChargesView = {
  invoiceId: string
  /** Sentence on the part of the total that the charges explain, and whether they explain all of it. */
  text: string
  agrees: boolean
  /** Heading of the charges without a line, or of all where no line has any; undefined if each belongs to a line. */
  list: { title: string; withoutLine: boolean; count: number } | undefined
  /** Sums by category; empty where the invoice has no categories. */
  categories: { category: string; billed: string; charges: string; difference: string }[]
}

const SIDES = 'px-4 max-md:px-2 max-md:first:pl-3.5 max-md:last:pr-3.5'
const CELL = `border-t border-line py-2 ${SIDES}`
const NUMBER = `${CELL} text-right tabular-nums whitespace-nowrap`
const HEADER_CLASS = `py-2 text-xs font-medium text-ink-3 md:whitespace-nowrap ${SIDES}`

/** Comparison of an invoice with its charges by category, and the charges that belong to no line. */
export function InvoiceCharges({ charges, currency }: { charges: ChargesView; currency: string }) {
  const { invoiceId, text, agrees, list, categories } = charges
  const params = { invoice_id: invoiceId }
  return (
    <section aria-labelledby="charges" className="mt-6">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 id="charges" className="text-base font-[650]">
          Charges
        </h2>
        <span className="print:hidden">
          <ExportMenu
            files={{
              'All charges as CSV': exportCharges.path({ params }),
              'All charges as a workbook (XLSX)': exportChargesXlsx.path({ params }),
            }}
          />
        </span>
      </div>
      <Card>
        <p className={`px-4 py-3 text-sm max-md:px-3.5 ${agrees ? '' : 'font-medium text-warn'}`}>{text}</p>
        {categories.length > 0 ? <Categories rows={categories} currency={currency} /> : null}
        {list ? <Opening invoiceId={invoiceId} {...list} /> : null}
      </Card>
    </section>
  )
}

function Categories({ rows, currency }: { rows: ChargesView['categories']; currency: string }) {
  return (
    <table aria-label="Charges by category" className="w-full border-collapse border-t border-line text-sm">
      <thead>
        <tr>
          <th scope="col" className={`${HEADER_CLASS} w-full text-left`}>
            Category
          </th>
          <th scope="col" className={`${HEADER_CLASS} text-right`}>
            Billed ({currency})
          </th>
          <th scope="col" className={`${HEADER_CLASS} text-right`}>
            Charges
          </th>
          <th scope="col" className={`${HEADER_CLASS} text-right`}>
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ category, billed, charges, difference }) => (
          <tr key={category}>
            <th scope="row" className={`${CELL} text-left font-normal wrap-anywhere`}>
              {category}
            </th>
            <td className={NUMBER}>{billed}</td>
            <td className={NUMBER}>{charges}</td>
            <td className={NUMBER}>{difference}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Opening({
  invoiceId,
  title,
  withoutLine,
  count,
}: { invoiceId: string } & NonNullable<ChargesView['list']>) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="border-t border-line print:hidden">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-10 w-full items-center gap-1.5 px-4 py-2 text-left text-sm font-medium text-ink-2 hover:text-ink max-md:px-3.5"
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-4 shrink-0 transition-transform duration-120 ${isOpen ? 'rotate-90' : ''}`}
        />
        {title}
      </button>
      {isOpen ? (
        <div className="border-t border-line bg-sunken px-1 py-1">
          <ChargeList invoiceId={invoiceId} withoutLine={withoutLine} count={count} label={title} />
        </div>
      ) : null}
    </div>
  )
}
