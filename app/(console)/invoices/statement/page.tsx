import type { Metadata } from 'next'
import { pathWith } from '#components/filters/list-screen.ts'
import { valuesOf } from '#components/filters/view.ts'
import { Letterhead, profilesLine } from '#components/frame/letterhead.tsx'
import { AgeingTable } from '#components/statements/ageing-table.tsx'
import { OpenItems } from '#components/statements/open-items.tsx'
import { StatementFilters } from '#components/statements/statement-filters.tsx'
import { pagesOf, type View } from '#components/statements/view.ts'
import { ButtonLink, DownloadLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import { may } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import { listOwnProfiles } from '#lib/billing-profiles/operations.ts'
import { dayText } from '#lib/days.ts'
import * as contract from '#lib/statements/contract.ts'
import * as operations from '#lib/statements/operations.ts'
import { exportStatement, readStatement } from '#lib/statements/queries.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { asInvalid, InvalidView } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { traceOf } from '../../trace.ts'
import { itemsText, shownStatement } from './shown-statement.ts'

export const metadata: Metadata = { title: 'Statement' }

const TITLE = 'Statement'
const CRUMB = { href: '/invoices', name: 'Invoices' }
const INVALID = { title: TITLE, what: 'open items', path: '/invoices/statement' }
/** As many as one answer has: what is printed should be whole. */
const MOST_ITEMS = 250

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices/statement', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  const view = await readQuery(contract.readStatement, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const query = { ...view, maxResults: view.maxResults ?? MOST_ITEMS }
  const input = { params: {}, query, body: undefined }
  const answers = await Promise.all([
    operations.readStatement(caller, input, await traceOf()),
    listOwnProfiles(caller),
  ]).catch(asInvalid)
  if (answers instanceof Problem) return <InvalidView {...INVALID} problem={answers} />
  const [{ body: statement }, profiles] = answers
  const { count, items, today } = statement
  const { sums, accounts } = shownStatement(statement, view)
  const named = valuesOf(view, 'billingProfile')
  return (
    <>
      <Letterhead
        customer={caller.customerName}
        lines={[profilesLine(profiles.filter(({ id }) => named.length === 0 || named.includes(id)))]}
        now={Date.now()}
      />
      <PageHead
        crumb={CRUMB}
        title={TITLE}
        subtitle={`What is open on ${dayText(today)}, and for how long.`}
        actions={
          <>
            <CopyRequest path={readStatement.path({ query })} />
            <DownloadLink href={exportStatement.path({ query: { filter: view.filter } })}>
              Export CSV
            </DownloadLink>
            <PrintButton />
          </>
        }
      />
      <StatementFilters
        view={view}
        profiles={profiles.map(({ id, name }) => ({ id, name }))}
        rows={items.map(({ platform }) => ({ platform }))}
      />
      {items.length === 0 ? <NothingOpen view={view} /> : null}
      {sums.length > 0 ? <AgeingTable rows={sums} /> : null}
      {items.length < count && items.length > 0 ? (
        <p className="mb-4 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
          This page has {items.length.toLocaleString('en')} of {itemsText(count)}. The sums above are of all,
          and Export CSV has all.
        </p>
      ) : null}
      {accounts.map((account) => (
        <OpenItems key={`${account.currency} ${account.profile}`} {...account} />
      ))}
      <Pager {...pagesOf(view, statement)} words={['Previous', 'Next']} />
    </>
  )
}

function NothingOpen({ view }: { view: View }) {
  const all = (
    <ButtonLink href={INVALID.path} prefetch={false}>
      Show all open items
    </ButtonLink>
  )
  return (
    <Card>
      {view.pageToken ? <EmptyState title="No more open items here" action={all} /> : null}
      {!view.pageToken && view.filter ? (
        <EmptyState title="Nothing is open here" action={all}>
          <p>Each invoice that fits the filters is paid, and no credit is left.</p>
        </EmptyState>
      ) : null}
      {!view.pageToken && !view.filter ? (
        <EmptyState title="Nothing is open">
          <p>Each invoice is paid, and no credit is left.</p>
        </EmptyState>
      ) : null}
    </Card>
  )
}
