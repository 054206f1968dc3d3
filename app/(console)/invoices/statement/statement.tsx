import type { ReactNode } from 'react'
import { PaymentCard } from '#components/billing/invoices/payment-card.tsx'
import { AgeingTable } from '#components/billing/statements/ageing-table.tsx'
import { OpenItems } from '#components/billing/statements/open-items.tsx'
import { StatementFilters } from '#components/billing/statements/statement-filters.tsx'
import { pagesOf, type View } from '#components/billing/statements/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import type { Statement as Answer } from '#lib/billing/statements/contract.ts'
import { itemsText, toStatementView } from './statement-view.ts'

/** Address of the statement without filters. */
export const ALL = '/invoices/statement'

/** Open amounts, by age and one by one; `profiles` are the selectable ones. */
export function Statement({
  view,
  statement,
  profiles,
  tools,
}: {
  view: View
  statement: Answer
  profiles: readonly { id: string; name: string }[]
  tools: ReactNode
}) {
  const { count, items } = statement
  const { sums, accounts, credits, transfers } = toStatementView(statement, view)
  return (
    <>
      <StatementFilters
        view={view}
        profiles={profiles.map(({ id, name }) => ({ id, name }))}
        rows={items.map(({ platform }) => ({ platform }))}
      >
        {tools}
      </StatementFilters>
      {items.length === 0 ? <NothingOpen view={view} /> : null}
      {sums.length > 0 ? <AgeingTable rows={sums} /> : null}
      {credits.map((credit) => (
        <p key={credit} className="mb-4 text-sm text-ink-2">
          {credit} of credit is not assigned to an invoice.
        </p>
      ))}
      {transfers.map(({ key, title, payment, note }) => (
        <PaymentCard key={key} title={title} payment={payment} note={note} />
      ))}
      {items.length < count && items.length > 0 ? (
        <p className="mb-4 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
          This page has {items.length.toLocaleString('en')} of {itemsText(count)}. The sums above are of all,
          and Export has all.
        </p>
      ) : null}
      {accounts.map((account) => (
        <OpenItems key={`${account.currency} ${account.profile}`} {...account} />
      ))}
      <Pager {...pagesOf(view, statement)} labels={['Previous', 'Next']} />
    </>
  )
}

function NothingOpen({ view }: { view: View }) {
  const all = (
    <ButtonLink href={ALL} prefetch={false}>
      Show all open items
    </ButtonLink>
  )
  return (
    <Card>
      {view.pageToken ? <EmptyState title="No more open items here" action={all} /> : null}
      {!view.pageToken && view.filter ? (
        <EmptyState title="Nothing is open here" action={all}>
          <p>All invoices that match the filters are paid, and no credit is left.</p>
        </EmptyState>
      ) : null}
      {!view.pageToken && !view.filter ? (
        <EmptyState title="Nothing is open">
          <p>All invoices are paid, and no credit is left.</p>
        </EmptyState>
      ) : null}
    </Card>
  )
}
