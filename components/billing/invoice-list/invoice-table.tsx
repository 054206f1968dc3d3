import { Fragment, type ReactNode, useMemo } from 'react'
import { type FilterChoices, profileName } from '#components/billing/invoice-filters/choices.ts'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortableHeader } from '#components/ui/sortable-header.tsx'
import { Table, TableBody, TableHeader, TableHeaderCell, TIGHTEST_IN_PRINT } from '#components/ui/table.tsx'
import { listInvoices } from '#lib/billing/client.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { disambiguatingIssuer } from '../invoices/numbers.ts'
import { type SortKey, sortableHeaderProps, sortName } from '../invoices/sort.ts'
import type { View } from '../invoices/view.ts'
import { BEFORE_BALANCE, InvoiceRow } from './invoice-row.tsx'

/** Returns the columns with the same value in each row: billing profile and issuer, if there is only one of each. */
export function redundantColumns({ profiles, issuers }: FilterChoices): InvoiceColumn[] {
  return [
    ...(profiles.length > 1 ? [] : ['billedTo' as const]),
    ...(issuers.length > 1 ? [] : ['issuer' as const]),
  ]
}

/** Rows of a list. Each invoice's address contains the list's `view`; column headers change the order. */
export function InvoiceTable({
  invoices,
  view,
  choices,
  columns,
  today,
  pending,
  onNavigate,
  selectedIds,
  onTick,
}: {
  invoices: readonly Invoice[]
  view: View
  choices: FilterChoices
  columns: readonly InvoiceColumn[]
  today: number
  pending: boolean
  onNavigate: (view: View) => void
  selectedIds: readonly string[]
  onTick: (id: string) => void
}) {
  const search = listInvoices.search(view)
  const visibleInvoices = useFirstRows(invoices)
  const sortProps = (key: SortKey) => sortableHeaderProps(view, key, onNavigate)
  const issuerOf = disambiguatingIssuer(invoices)
  // The same object as before, because rows are memoized by it.
  const visibleColumns = useMemo(
    () => columns.filter((column) => !redundantColumns(choices).includes(column)),
    [columns, choices],
  )
  const [showsParty, showsIssuer] = [visibleColumns.includes('billedTo'), visibleColumns.includes('issuer')]
  const headers: Record<InvoiceColumn, ReactNode> = {
    number: <TableHeaderCell>Invoice</TableHeaderCell>,
    date: <SortableHeader {...sortProps('invoiceDate')}>Date</SortableHeader>,
    billedTo: <TableHeaderCell className="not-print:@max-wide:hidden">Billed to</TableHeaderCell>,
    issuer: <TableHeaderCell className="not-print:@max-wide:hidden">Issuer</TableHeaderCell>,
    platform: <TableHeaderCell className="not-print:md:@max-all:hidden">Platform</TableHeaderCell>,
    due: <SortableHeader {...sortProps('dueDate')}>Due</SortableHeader>,
    status: <TableHeaderCell>Status</TableHeaderCell>,
    total: (
      <SortableHeader right {...sortProps('totalAmount')} className={BEFORE_BALANCE}>
        Total
      </SortableHeader>
    ),
    balance: (
      <SortableHeader right {...sortProps('balanceAmount')} className="not-print:md:@max-two:hidden">
        Balance
      </SortableHeader>
    ),
  }
  const mixed = new Set(invoices.map(({ currency }) => currency)).size > 1
  return (
    // Long amounts may need more room than the side bar leaves: then the columns scroll, not the page. Paper has all of
    // them, in smaller type.
    <div className={`@container ${TIGHTEST_IN_PRINT}`}>
      <div className="overflow-x-auto max-md:overflow-visible">
        <Table label={`Invoices, ${sortName(view).toLowerCase()}`} pending={pending}>
          <TableHeader>
            {visibleColumns.map((column) => (
              <Fragment key={column}>{headers[column]}</Fragment>
            ))}
          </TableHeader>
          <TableBody>
            {visibleInvoices.map((invoice) => (
              <InvoiceRow
                key={invoice.id}
                invoice={invoice}
                search={search}
                today={today}
                columns={visibleColumns}
                mixed={mixed}
                issuer={issuerOf(invoice)}
                billedTo={showsParty ? profileName(choices, invoice.billingProfileId) : undefined}
                billedBy={showsIssuer ? invoice.issuer : undefined}
                selected={selectedIds.includes(invoice.id)}
                onTick={onTick}
              />
            ))}
          </TableBody>
        </Table>
      </div>
    </div>
  )
}
