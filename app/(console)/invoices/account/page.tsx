import type { Metadata } from 'next'
import { Movements, OpenAtEnd } from '#components/billing/statements/movements.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { DayField } from '#components/platform/values/day-field.tsx'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import type { AccountOfDays } from '#lib/billing/account-statements/contract.ts'
import * as operations from '#lib/billing/account-statements/operations.ts'
import { exportAccount, exportAccountPdf, exportAccountXlsx, readAccount } from '#lib/billing/client.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { dayOf, dayText } from '#lib/platform/values/days.ts'
import { type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { toAccountView } from './account-view.ts'
import { accountDays } from './days.ts'

export const metadata: Metadata = { title: 'Account statement' }

const TITLE = 'Account statement'
const BREADCRUMB = { href: '/invoices/statement', name: 'Statement' }

/** Balances on any past day, and the movements between two days. */
export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices/account', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  const query = accountDays(search)
  const input = { params: {}, query, body: undefined }
  const { body } = await operations.readAccount(caller, input, await requestMeta())
  return (
    <>
      <PageHeader
        breadcrumb={BREADCRUMB}
        title={TITLE}
        subtitle={`${dayText(body.from)} to ${dayText(body.to)}, UTC, inclusive`}
        actionsBelow
        actions={
          <>
            <ExportMenu
              files={{
                PDF: exportAccountPdf.path({ query }),
                'Excel (XLSX)': exportAccountXlsx.path({ query }),
                CSV: exportAccount.path({ query }),
              }}
            />
            <PrintButton />
            <CopyRequest path={readAccount.path({ query })} />
          </>
        }
      />
      <Days {...body} />
      <Accounts body={body} />
    </>
  )
}

function Days({ from, to }: Pick<AccountOfDays, 'from' | 'to'>) {
  return (
    <form action="/invoices/account" className="mb-4 flex flex-wrap gap-2.5 print:hidden" aria-label="Days">
      <DayField label="From" name="from" value={dayOf(from)} />
      <DayField label="To" name="to" value={dayOf(to)} />
      {/* Next to the fields, between their labels and their notes. */}
      <button type="submit" className={buttonVariants('plain', 'my-auto max-md:min-h-11 min-h-9.5')}>
        Show
      </button>
    </form>
  )
}

function Accounts({ body }: { body: AccountOfDays }) {
  const { currencies, to } = body
  if (currencies.length === 0)
    return (
      <Card>
        <EmptyState title="Nothing was owed or moved">
          <p>No invoice was open between these days, and nothing was paid.</p>
        </EmptyState>
      </Card>
    )
  return currencies.map((account) => {
    const { currency, rows, items, credit } = toAccountView(body, account)
    return (
      <section key={currency} aria-labelledby={`account-${currency}`}>
        <h2 id={`account-${currency}`} className="mb-1.5 font-semibold">
          {currency}
        </h2>
        <Movements currency={currency} rows={rows} />
        {credit ? <p className="mb-4 text-sm text-ink-2">{credit}</p> : null}
        {items.length > 0 ? (
          <>
            <h3 className="mb-1.5 font-semibold">Open on {dayText(to)}</h3>
            <OpenAtEnd currency={currency} rows={items} />
          </>
        ) : null}
      </section>
    )
  })
}
