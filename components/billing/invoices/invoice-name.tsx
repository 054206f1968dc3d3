import Link from 'next/link'
import type { ReactNode } from 'react'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { LinkHint } from '#components/ui/link-hint.tsx'
import { RowHead } from '#components/ui/table.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { invoiceHref } from './view.ts'

/** What a row is made of. */
export type Given = {
  invoice: Invoice
  search: string
  today: number
  columns: readonly InvoiceColumn[]
  mixed: boolean
  /** Where the number alone does not tell it apart. */
  issuer: string | undefined
  /** Who is billed and by whom, where there are several of these. */
  billedTo: string | undefined
  billedBy: string | undefined
  ticked: boolean
  onTick: (id: string) => void
}

/** Its number, which leads to it from anywhere in the row; and what there is no room for in columns of its own. */
export function InvoiceName({ invoice, search, columns, issuer, billedTo, billedBy, ticked, onTick }: Given) {
  const { id, number, platform } = invoice
  return (
    <RowHead className="wrap-anywhere md:min-w-28">
      {/* The label is larger than the box: a finger finds it. What has the focus stands clear of the bar below. */}
      <label className="relative z-1 -my-2 -ml-2 inline-flex cursor-pointer py-2 pr-2.5 pl-2 align-middle print:hidden">
        <span className="sr-only">{issuer ? `Select ${number} of ${issuer}` : `Select ${number}`}</span>
        <input
          type="checkbox"
          checked={ticked}
          onChange={() => onTick(id)}
          className="size-4 cursor-pointer scroll-mb-24 accent-accent"
        />
      </label>
      <Link
        href={invoiceHref(id, search)}
        prefetch={false}
        className="inline-block max-w-full scroll-mb-24 rounded-sm align-middle font-[550] tabular-nums underline-offset-2 after:absolute after:inset-0 hover:underline"
      >
        {visible(number)}
        <LinkHint />
      </Link>
      {issuer && !billedBy ? (
        <span className="block pl-6.5 text-xs text-ink-2 print:pl-0">{visible(issuer)}</span>
      ) : null}
      {/* Where there is no room for columns of their own. */}
      {billedTo ? <Under className="max-md:hidden @wide:hidden">To {visible(billedTo)}</Under> : null}
      {billedBy ? <Under className="max-md:hidden @wide:hidden">From {visible(billedBy)}</Under> : null}
      {columns.includes('platform') ? (
        <Under className="whitespace-nowrap max-md:hidden @all:hidden">
          <PlatformMark slug={platform} />
        </Under>
      ) : null}
    </RowHead>
  )
}

function Under({ className, children }: { className: string; children: ReactNode }) {
  return <span className={`block pl-6.5 text-xs text-ink-2 print:pl-0 ${className}`}>{children}</span>
}
