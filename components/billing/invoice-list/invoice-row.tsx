import Link from 'next/link'
import { Fragment, memo, type ReactNode } from 'react'
import { Money } from '#components/platform/values/money.tsx'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import { Cell, Row, RowHeaderCell } from '#components/ui/table.tsx'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { latenessOf, StatusBadge } from '../invoices/status-badge.tsx'
import { invoiceHref } from '../invoices/view.ts'

/** On phones below all else, as wide as the card: names of companies are long. */
const PARTY =
  'text-sm wrap-break-word max-md:order-1 max-md:wrap-anywhere max-md:text-xs max-md:text-ink-2 not-print:md:@max-wide:hidden'
/** A word breaks on paper only where it alone is wider than the column. */
const PARTY_NAME = 'print:block print:max-w-20'

/** Inset of the last column where the balance is not a column. */
export const BEFORE_BALANCE = 'not-print:md:@max-two:pr-4'

/** An invoice in a list: a row of a table, on phones a card. */
// Remembered, so that selecting one does not draw the others again.
export const InvoiceRow = memo(function InvoiceRow(props: InvoiceRowProps) {
  const { invoice, today, columns, mixed, billedTo, billedBy } = props
  const { currency, totalAmount, balanceAmount } = invoice
  const balance = invoice.payableAmount ?? balanceAmount
  // Of a draft or a voided one nothing is due, and there is no balance.
  const isIssued = invoice.documentState === 'issued'
  const lateness = latenessOf(invoice, today)
  const cells: Record<InvoiceColumn, ReactNode> = {
    number: <InvoiceName {...props} />,
    date: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        <Day at={invoice.invoiceDate} />
      </Cell>
    ),
    billedTo: billedTo ? (
      <Cell placement="across" className={PARTY}>
        <span className="md:hidden">To </span>
        <span className={PARTY_NAME}>{escapeInvisible(billedTo)}</span>
      </Cell>
    ) : null,
    issuer: billedBy ? (
      <Cell placement="across" className={PARTY}>
        <span className="md:hidden">From </span>
        <span className={PARTY_NAME}>{escapeInvisible(billedBy)}</span>
      </Cell>
    ) : null,
    platform: (
      <Cell className="not-print:whitespace-nowrap max-md:text-sm max-md:text-ink-2 not-print:md:@max-all:hidden">
        <PlatformIcon slug={invoice.platform} />
      </Cell>
    ),
    due: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        {isIssued && totalAmount >= 0 ? (
          <>
            <span className="md:hidden">Due </span>
            <span className={lateness ? 'text-danger' : ''}>
              <Day at={invoice.dueDate} />
            </span>
            {lateness ? (
              <span className="text-xs whitespace-nowrap text-ink-3 max-md:ml-1.5 md:block">
                {lateness} late
              </span>
            ) : null}
          </>
        ) : null}
      </Cell>
    ),
    status: (
      <Cell placement="right-3">
        <StatusBadge invoice={invoice} />
      </Cell>
    ),
    total: (
      <Cell placement="right-1" right number className={BEFORE_BALANCE}>
        <Money amount={totalAmount} currency={currency} />
        {isIssued && columns.includes('balance') ? (
          <span className="hidden text-xs text-ink-2 not-print:md:@max-two:block">
            Balance {formatAmount(balance, currency)}
          </span>
        ) : null}
      </Cell>
    ),
    balance: (
      <Cell
        placement="right-2"
        right
        number
        className="max-md:text-sm max-md:text-ink-2 not-print:md:@max-two:hidden"
      >
        {isIssued ? (
          <>
            <span className="md:hidden">Balance </span>
            {mixed ? <Money amount={balance} currency={currency} /> : formatAmount(balance, currency)}
          </>
        ) : null}
      </Cell>
    ),
  }
  return (
    <Row className="relative hover:bg-sunken/50">
      {columns.map((column) => (
        <Fragment key={column}>{cells[column]}</Fragment>
      ))}
    </Row>
  )
})

type InvoiceRowProps = {
  invoice: Invoice
  search: string
  today: number
  columns: readonly InvoiceColumn[]
  mixed: boolean
  /** Issuer, where the number does not identify the invoice. */
  issuer: string | undefined
  /** Buyer and seller, where there are several. */
  billedTo: string | undefined
  billedBy: string | undefined
  selected: boolean
  onTick: (id: string) => void
}

/** Length up to which a number has room in each column, and stays on one line. */
const MAX_UNBROKEN = 16

/** Number, which links to the invoice from anywhere in the row, and values that have no columns of their own. */
function InvoiceName({
  invoice,
  search,
  columns,
  issuer,
  billedTo,
  billedBy,
  selected,
  onTick,
}: InvoiceRowProps) {
  const { id, number, platform } = invoice
  return (
    <RowHeaderCell className="wrap-anywhere not-print:md:min-w-28">
      {/* The label is larger than the box: a finger finds it. What has the focus stands clear of the bar below. */}
      <label className="relative z-1 -my-2 -ml-2 inline-flex cursor-pointer py-2 pr-2.5 pl-2 align-middle print:hidden">
        <span className="sr-only">{issuer ? `Select ${number} of ${issuer}` : `Select ${number}`}</span>
        <input
          type="checkbox"
          checked={selected}
          onChange={() => onTick(id)}
          className="size-4 cursor-pointer scroll-mb-24 accent-accent"
        />
      </label>
      <Link
        href={invoiceHref(id, search)}
        prefetch={false}
        className={`inline-block max-w-full scroll-mb-24 rounded-sm align-middle font-[550] underline-offset-2 after:absolute after:inset-0 hover:underline ${number.length > MAX_UNBROKEN ? '' : 'whitespace-nowrap'}`}
      >
        {escapeInvisible(number)}
        <LinkSpinner />
      </Link>
      {issuer && !billedBy ? (
        <span className="block pl-6.5 text-xs text-ink-2 print:pl-0">{escapeInvisible(issuer)}</span>
      ) : null}
      {/* Where there is no room for columns of their own. */}
      {billedTo ? (
        <Under className="max-md:hidden @wide:hidden print:hidden">To {escapeInvisible(billedTo)}</Under>
      ) : null}
      {billedBy ? (
        <Under className="max-md:hidden @wide:hidden print:hidden">From {escapeInvisible(billedBy)}</Under>
      ) : null}
      {columns.includes('platform') ? (
        <Under
          className={`whitespace-nowrap max-md:hidden @all:hidden print:hidden ${billedTo || billedBy ? 'md:@max-wide:hidden' : ''}`}
        >
          <PlatformIcon slug={platform} />
        </Under>
      ) : null}
    </RowHeaderCell>
  )
}

function Under({ className, children }: { className: string; children: ReactNode }) {
  return <span className={`block pl-6.5 text-xs text-ink-2 ${className}`}>{children}</span>
}
