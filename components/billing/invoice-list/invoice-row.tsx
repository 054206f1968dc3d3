import { Fragment, memo, type ReactNode } from 'react'
import { Day } from '#components/platform/values/day.tsx'
import { Money } from '#components/platform/values/money.tsx'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { Cell, Row } from '#components/ui/table.tsx'
import { visible } from '#components/ui/visible.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { type Given, InvoiceName } from '../invoices/invoice-name.tsx'
import { latenessOf } from '../invoices/lateness.ts'
import { StatusBadge } from '../invoices/status-badge.tsx'

/** On phones below all else, as wide as the card: names of companies are long. */
const PARTY = 'text-sm wrap-anywhere max-md:order-1 max-md:text-xs max-md:text-ink-2 md:@max-wide:hidden'

/** An invoice in a list: a row of a table, on phones a card. */
// Remembered, so that selecting one does not draw the others again.
export const InvoiceRow = memo(function InvoiceRow(given: Given) {
  const { invoice, today, columns, mixed, billedTo, billedBy } = given
  const { currency, totalAmount, balanceAmount } = invoice
  // Of a draft or a voided one nothing is due, and there is no balance.
  const isIssued = invoice.documentState === 'issued'
  const late = latenessOf(invoice, today)
  const cells: Record<InvoiceColumn, ReactNode> = {
    number: <InvoiceName {...given} />,
    date: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        <Day at={invoice.invoiceDate} />
      </Cell>
    ),
    billedTo: billedTo ? (
      <Cell place="across" className={PARTY}>
        <span className="md:hidden">To </span>
        {visible(billedTo)}
      </Cell>
    ) : null,
    issuer: billedBy ? (
      <Cell place="across" className={PARTY}>
        <span className="md:hidden">From </span>
        {visible(billedBy)}
      </Cell>
    ) : null,
    platform: (
      <Cell className="whitespace-nowrap max-md:text-sm max-md:text-ink-2 md:@max-all:hidden">
        <PlatformMark slug={invoice.platform} />
      </Cell>
    ),
    due: (
      <Cell className="max-md:text-sm max-md:text-ink-2">
        {isIssued ? (
          <>
            <span className="md:hidden">Due </span>
            <span className={late ? 'text-danger' : ''}>
              <Day at={invoice.dueDate} />
            </span>
            {late ? (
              <span className="text-xs whitespace-nowrap text-ink-3 max-md:ml-1.5 md:block">{late} late</span>
            ) : null}
          </>
        ) : null}
      </Cell>
    ),
    status: (
      <Cell place="right-3">
        <StatusBadge invoice={invoice} />
      </Cell>
    ),
    total: (
      <Cell place="right-1" right number>
        <Money amount={totalAmount} currency={currency} />
        {isIssued && columns.includes('balance') ? (
          <span className="hidden text-xs text-ink-2 md:@max-two:block">
            Balance {formatAmount(balanceAmount, currency)}
          </span>
        ) : null}
      </Cell>
    ),
    balance: (
      <Cell place="right-2" right number className="max-md:text-sm max-md:text-ink-2 md:@max-two:hidden">
        {isIssued ? (
          <>
            <span className="md:hidden">Balance </span>
            {mixed ? (
              <Money amount={balanceAmount} currency={currency} />
            ) : (
              formatAmount(balanceAmount, currency)
            )}
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
