import Link from 'next/link'
import { Day } from '#components/dates/day.tsx'
import { amountText, Money } from '#components/money/money.tsx'
import { PlatformMark } from '#components/platform/platform-mark.tsx'
import { LinkHint } from '#components/ui/link-hint.tsx'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { latenessOf } from './lateness.ts'
import { StatusBadge } from './status-badge.tsx'
import { invoiceHref } from './view.ts'

/** The rows of a list. `search` is the list's query string, which each invoice's address takes along. */
export function InvoiceTable({
  invoices,
  search,
  today,
  busy,
}: {
  invoices: readonly Invoice[]
  search: string
  today: number
  busy: boolean
}) {
  const mixed = new Set(invoices.map(({ currency }) => currency)).size > 1
  return (
    // Long amounts may need more room than there is beside the side bar: then the columns scroll, not the page.
    <div className="overflow-x-auto max-xl:[&_td]:px-2 max-xl:[&_th]:px-2 max-md:overflow-visible max-md:[&_td]:px-0">
      <Table label="Invoices, newest first" busy={busy}>
        <TableHead>
          <HeadCell>Invoice</HeadCell>
          <HeadCell aria-sort="descending">
            Date <span aria-hidden="true">↓</span>
          </HeadCell>
          <HeadCell className="md:max-xl:hidden">Platform</HeadCell>
          <HeadCell>Due</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell right>Total</HeadCell>
          <HeadCell right>Balance</HeadCell>
        </TableHead>
        <TableBody>
          {invoices.map((invoice) => (
            <InvoiceRow key={invoice.id} invoice={invoice} search={search} today={today} mixed={mixed} />
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

type Given = { invoice: Invoice; search: string; today: number; mixed: boolean }

function InvoiceRow({ invoice, search, today, mixed }: Given) {
  const { id, currency, totalAmount, balanceAmount } = invoice
  const late = latenessOf(invoice, today)
  return (
    <Row className="hover:bg-sunken/50">
      <Cell className="wrap-anywhere md:min-w-28">
        <Link
          href={invoiceHref(id, search)}
          prefetch={false}
          className="rounded-sm font-[550] tabular-nums underline-offset-2 hover:underline"
        >
          {id}
          <LinkHint />
        </Link>
        {/* In between there is no room for a column of its own. */}
        <span className="hidden text-xs whitespace-nowrap text-ink-2 md:max-xl:block">
          <PlatformMark slug={invoice.platform} />
        </span>
      </Cell>
      <Cell className="max-md:text-sm max-md:text-ink-2">
        <Day at={invoice.invoiceDate} />
      </Cell>
      <Cell className="whitespace-nowrap max-md:text-sm max-md:text-ink-2 md:max-xl:hidden">
        <PlatformMark slug={invoice.platform} />
      </Cell>
      <Cell className="max-md:text-sm max-md:text-ink-2">
        <span className="md:hidden">Due </span>
        <span className={late ? 'text-danger' : ''}>
          <Day at={invoice.dueDate} />
        </span>
        {late ? <span className="text-xs text-ink-3 max-md:ml-1.5 md:block">{late} late</span> : null}
      </Cell>
      <Cell place="right-3">
        <StatusBadge status={invoice.status} />
      </Cell>
      <Cell place="right-1" right number>
        <Money amount={totalAmount} currency={currency} />
      </Cell>
      <Cell place="right-2" right number className="max-md:text-sm max-md:text-ink-2">
        <span className="md:hidden">Balance </span>
        {mixed ? <Money amount={balanceAmount} currency={currency} /> : amountText(balanceAmount, currency)}
      </Cell>
    </Row>
  )
}
