import { Fragment, type ReactNode, useMemo } from 'react'
import { type FilterChoices, profileName } from '#components/billing/invoice-filters/choices.ts'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortHead } from '#components/ui/sort-head.tsx'
import { HeadCell, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import { listInvoices } from '#lib/billing/client.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { issuerBeside } from '../invoices/numbers.ts'
import { headOf, type OrderKey, orderName } from '../invoices/order.ts'
import type { View } from '../invoices/view.ts'
import { InvoiceRow } from './invoice-row.tsx'

/** The columns that say the same in each row: who is billed and by whom, where there is one of these. */
export function nothingIn({ profiles, issuers }: FilterChoices): InvoiceColumn[] {
  return [
    ...(profiles.length > 1 ? [] : ['billedTo' as const]),
    ...(issuers.length > 1 ? [] : ['issuer' as const]),
  ]
}

/** The rows of a list. Each invoice's address takes the list's `view` along; a head asks for another one. */
export function InvoiceTable({
  invoices,
  view,
  choices,
  columns,
  today,
  busy,
  onGo,
  ticked,
  onTick,
}: {
  invoices: readonly Invoice[]
  view: View
  choices: FilterChoices
  columns: readonly InvoiceColumn[]
  today: number
  busy: boolean
  onGo: (view: View) => void
  ticked: readonly string[]
  onTick: (id: string) => void
}) {
  const search = listInvoices.search(view)
  const shown = useFirstRows(invoices)
  const head = (key: OrderKey) => headOf(view, key, onGo)
  const issuerOf = issuerBeside(invoices)
  // The same as before, where it is: rows are remembered by it.
  const shownColumns = useMemo(
    () => columns.filter((column) => !nothingIn(choices).includes(column)),
    [columns, choices],
  )
  const [showsParty, showsIssuer] = [shownColumns.includes('billedTo'), shownColumns.includes('issuer')]
  const heads: Record<InvoiceColumn, ReactNode> = {
    number: <HeadCell>Invoice</HeadCell>,
    date: <SortHead {...head('invoiceDate')}>Date</SortHead>,
    billedTo: <HeadCell className="@max-wide:hidden">Billed to</HeadCell>,
    issuer: <HeadCell className="@max-wide:hidden">Issuer</HeadCell>,
    platform: <HeadCell className="md:@max-all:hidden">Platform</HeadCell>,
    due: <SortHead {...head('dueDate')}>Due</SortHead>,
    status: <HeadCell>Status</HeadCell>,
    total: (
      <SortHead right {...head('totalAmount')}>
        Total
      </SortHead>
    ),
    balance: (
      <SortHead right {...head('balanceAmount')} className="md:@max-two:hidden">
        Balance
      </SortHead>
    ),
  }
  const mixed = new Set(invoices.map(({ currency }) => currency)).size > 1
  return (
    // Long amounts may need more room than there is beside the side bar: then the columns scroll, not the page.
    <div data-wide="" className="@container">
      <div className="overflow-x-auto max-md:overflow-visible md:@max-all:[&_td]:px-2 md:@max-all:[&_th]:px-2">
        <Table label={`Invoices, ${orderName(view).toLowerCase()}`} busy={busy}>
          <TableHead>
            {shownColumns.map((column) => (
              <Fragment key={column}>{heads[column]}</Fragment>
            ))}
          </TableHead>
          <TableBody>
            {shown.map((invoice) => (
              <InvoiceRow
                key={invoice.id}
                invoice={invoice}
                search={search}
                today={today}
                columns={shownColumns}
                mixed={mixed}
                issuer={issuerOf(invoice)}
                billedTo={showsParty ? profileName(choices, invoice.billingProfileId) : undefined}
                billedBy={showsIssuer ? invoice.issuer : undefined}
                ticked={ticked.includes(invoice.id)}
                onTick={onTick}
              />
            ))}
          </TableBody>
        </Table>
      </div>
    </div>
  )
}
