import Link from 'next/link'
import { Day } from '#components/dates/day.tsx'
import { Money } from '#components/money/money.tsx'
import { PlatformMark } from '#components/platform/platform-mark.tsx'
import { LinkHint } from '#components/ui/link-hint.tsx'
import { SortHead } from '#components/ui/sort-head.tsx'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { listInvoices } from '#lib/invoices/queries.ts'
import { formatAmount } from '#lib/money.ts'
import { latenessOf } from './lateness.ts'
import { headOf, type OrderKey, orderName } from './order.ts'
import { StatusBadge } from './status-badge.tsx'
import { invoiceHref, type View } from './view.ts'

/** The rows of a list. Each invoice's address takes the list's `view` along; a head asks for another one. */
export function InvoiceTable({
  invoices,
  view,
  today,
  busy,
  onGo,
  ticked,
  onTick,
}: {
  invoices: readonly Invoice[]
  view: View
  today: number
  busy: boolean
  onGo: (view: View) => void
  ticked: readonly string[]
  onTick: (id: string) => void
}) {
  const search = listInvoices.search(view)
  const head = (key: OrderKey) => headOf(view, key, onGo)
  const mixed = new Set(invoices.map(({ currency }) => currency)).size > 1
  return (
    // Long amounts may need more room than there is beside the side bar: then the columns scroll, not the page.
    <div className="overflow-x-auto max-xl:[&_td]:px-2 max-xl:[&_th]:px-2 max-md:overflow-visible max-md:[&_td]:px-0">
      <Table label={`Invoices, ${orderName(view).toLowerCase()}`} busy={busy}>
        <TableHead>
          <HeadCell>Invoice</HeadCell>
          <SortHead {...head('invoiceDate')}>Date</SortHead>
          <HeadCell className="md:max-xl:hidden">Platform</HeadCell>
          <SortHead {...head('dueDate')}>Due</SortHead>
          <HeadCell>Status</HeadCell>
          <SortHead right {...head('totalAmount')}>
            Total
          </SortHead>
          <SortHead right {...head('balanceAmount')}>
            Balance
          </SortHead>
        </TableHead>
        <TableBody>
          {invoices.map((invoice) => (
            <InvoiceRow
              key={invoice.id}
              invoice={invoice}
              search={search}
              today={today}
              mixed={mixed}
              ticked={ticked.includes(invoice.id)}
              onTick={onTick}
            />
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

type Given = {
  invoice: Invoice
  search: string
  today: number
  mixed: boolean
  ticked: boolean
  onTick: (id: string) => void
}

function InvoiceRow({ invoice, search, today, mixed, ticked, onTick }: Given) {
  const { id, currency, totalAmount, balanceAmount } = invoice
  const late = latenessOf(invoice, today)
  return (
    <Row className="hover:bg-sunken/50">
      <Cell className="wrap-anywhere md:min-w-28">
        {/* The label is larger than the box: a finger finds it. What has the focus stands clear of the bar below. */}
        <label className="-my-2 -ml-2 inline-flex cursor-pointer py-2 pr-2.5 pl-2 align-middle print:hidden">
          <span className="sr-only">Tick {id}</span>
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
          className="scroll-mb-24 rounded-sm font-[550] tabular-nums underline-offset-2 hover:underline"
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
        {mixed ? <Money amount={balanceAmount} currency={currency} /> : formatAmount(balanceAmount, currency)}
      </Cell>
    </Row>
  )
}
