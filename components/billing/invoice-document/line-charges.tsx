'use client'

import { ChevronRight, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { ChargeList } from './charge-list.tsx'

/** Charges of a line as text: their number and the difference to the line; also for a line without charges. */
export type LineChargesView = {
  invoiceId: string
  line: string
  count: number
  text: string
  apart?: string
}

/** Rows of an invoice line: the line and, once expanded, its charges below. */
export function LineRows({
  name,
  charges,
  columns,
  children,
}: {
  name: string
  charges: LineChargesView | undefined
  /** Number of columns of the table. */
  columns: number
  children: (button: ReactNode) => ReactNode
}) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  if (!charges) return <tr>{children(null)}</tr>
  const button = (
    <>
      {charges.count > 0 ? (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
          className="mt-0.5 -ml-1 flex min-h-6 items-center gap-0.5 rounded-control pr-1.5 text-left text-xs font-medium text-ink-2 hover:bg-sunken hover:text-ink print:hidden"
        >
          <ChevronRight
            aria-hidden="true"
            className={`size-3.5 shrink-0 transition-transform duration-120 ${isOpen ? 'rotate-90' : ''}`}
          />
          {charges.text}
          <span className="sr-only"> of {name}</span>
        </button>
      ) : null}
      {charges.apart ? (
        <span className="mt-0.5 flex items-start gap-1.5 text-xs text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
          {charges.apart}
        </span>
      ) : null}
    </>
  )
  return (
    <>
      <tr>{children(button)}</tr>
      {isOpen ? (
        <tr id={id} className="print:hidden">
          <td colSpan={columns} className="bg-sunken">
            <div className="-mx-3 -my-1.5 max-md:-mx-2.5">
              <ChargeList
                invoiceId={charges.invoiceId}
                line={charges.line}
                count={charges.count}
                label={`Charges of ${name}`}
              />
            </div>
          </td>
        </tr>
      ) : null}
    </>
  )
}
