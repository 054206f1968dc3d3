import { type FilterChoices, profileName } from '#components/invoice-filters/choices.ts'
import { useFirstRows } from '#components/ui/first-rows.ts'
import { SortHead } from '#components/ui/sort-head.tsx'
import { HeadCell, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { listInvoices } from '#lib/invoices/queries.ts'
import { InvoiceRow } from './invoice-row.tsx'
import { issuerBeside } from './numbers.ts'
import { headOf, type OrderKey, orderName } from './order.ts'
import type { View } from './view.ts'

/** The rows of a list. Each invoice's address takes the list's `view` along; a head asks for another one. */
export function InvoiceTable({
  invoices,
  view,
  choices,
  today,
  busy,
  onGo,
  ticked,
  onTick,
}: {
  invoices: readonly Invoice[]
  view: View
  choices: FilterChoices
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
  const [isBilledTo, isIssuer] = [choices.profiles.length > 1, choices.issuers.length > 1]
  const mixed = new Set(invoices.map(({ currency }) => currency)).size > 1
  return (
    // Long amounts may need more room than there is beside the side bar: then the columns scroll, not the page.
    <div data-wide="" className="@container">
      <div className="overflow-x-auto max-md:overflow-visible md:@max-all:[&_td]:px-2 md:@max-all:[&_th]:px-2">
        <Table label={`Invoices, ${orderName(view).toLowerCase()}`} busy={busy}>
          <TableHead>
            <HeadCell>Invoice</HeadCell>
            <SortHead {...head('invoiceDate')}>Date</SortHead>
            {isBilledTo ? <HeadCell className="@max-wide:hidden">Billed to</HeadCell> : null}
            {isIssuer ? <HeadCell className="@max-wide:hidden">Issuer</HeadCell> : null}
            <HeadCell className="md:@max-all:hidden">Platform</HeadCell>
            <SortHead {...head('dueDate')}>Due</SortHead>
            <HeadCell>Status</HeadCell>
            <SortHead right {...head('totalAmount')}>
              Total
            </SortHead>
            <SortHead right {...head('balanceAmount')} className="md:@max-two:hidden">
              Balance
            </SortHead>
          </TableHead>
          <TableBody>
            {shown.map((invoice) => (
              <InvoiceRow
                key={invoice.id}
                invoice={invoice}
                search={search}
                today={today}
                mixed={mixed}
                issuer={issuerOf(invoice)}
                billedTo={isBilledTo ? profileName(choices, invoice.billingProfileId) : undefined}
                billedBy={isIssuer ? invoice.issuer : undefined}
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
