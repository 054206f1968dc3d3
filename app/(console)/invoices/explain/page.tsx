import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { EXPLAIN, hrefOf, type View } from '#components/costs/explanations/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import { LetterLines, profilesLine } from '#components/shell/frame/print-header.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import { explainMonth, exportExplanation, exportExplanationXlsx } from '#lib/costs/client.ts'
import * as contract from '#lib/costs/explanations/contract.ts'
import * as operations from '#lib/costs/explanations/operations.ts'
import { newestMonth } from '#lib/costs/explanations/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { dayOf, monthAndYear, monthBegin, monthText } from '#lib/platform/values/days.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { asInvalid, InvalidView, StreamedRows } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'
import { Explained } from './explained.tsx'

const TITLE = 'Month comparison'
const BREADCRUMB = { href: '/invoices', name: 'Invoices' }
const INVALID = { title: TITLE, label: 'causes', path: EXPLAIN }
/** Explains which invoices count for a month. */
const COUNTED = 'Issued invoices by invoice date. Excludes drafts and voided invoices.'

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const { month } = await searchParams
  const begin =
    typeof month === 'string' && /^\d{4}-\d\d$/.test(month) ? Date.parse(`${month}-01`) : Number.NaN
  return { title: Number.isNaN(begin) ? TITLE : titleOf(begin) }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith(EXPLAIN, search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  if (!new URLSearchParams(search).get('month')) return <OfNewestMonth caller={caller} search={search} />
  const view = await readQuery(contract.explainMonth, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const answer = await settleWithin(load(caller, view).catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  const begin = Date.parse(`${view.month}-01`)
  return (
    <>
      <Streamed answer={answer} fallback={null}>
        {(result) => (
          <LetterLines
            lines={result instanceof Problem ? [] : [profilesLine(namedOf(result.profiles, view))]}
          />
        )}
      </Streamed>
      <PageHeader breadcrumb={BREADCRUMB} title={titleOf(begin)} subtitle={COUNTED} />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Explained
            view={view}
            isOver={begin < monthBegin(Date.now())}
            {...result}
            tools={
              <>
                <ExportMenu
                  files={{
                    'Excel (XLSX)': exportExplanationXlsx.path({ query: view }),
                    CSV: exportExplanation.path({ query: view }),
                  }}
                />
                <PrintButton />
                <CopyRequest path={explainMonth.path({ query: view })} />
              </>
            }
          />
        )}
      </StreamedRows>
    </>
  )
}

/** Returns the title for the month that begins at `begin` and the previous month. */
function titleOf(begin: number): string {
  return `${monthAndYear(begin)} vs. ${monthText(monthBegin(begin, -1))}`
}

type LoadedExplanation = Awaited<ReturnType<typeof load>>

async function load(caller: Caller, query: View) {
  const [{ body: explanation }, profiles] = await Promise.all([
    operations.explainMonth(caller, { params: {}, query, body: undefined }, await requestMeta()),
    listCallerProfiles(caller),
  ])
  return { explanation, profiles }
}

/** Redirects to the newest month that is over, with the filter of the address. */
async function OfNewestMonth({ caller, search }: { caller: Caller; search: string }) {
  const params = new URLSearchParams(search)
  params.set('month', dayOf(Date.now()).slice(0, 7))
  const view = await readQuery(contract.explainMonth, params.toString())
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const month = await newestMonth(caller, view, dayOf(Date.now()))
  if (month) redirect(hrefOf({ ...view, month }))
  return (
    <>
      <PageHeader breadcrumb={BREADCRUMB} title={TITLE} subtitle={COUNTED} />
      <Card>
        <EmptyState title="No invoice yet" action={<ButtonLink href="/invoices">Go to invoices</ButtonLink>}>
          <p>A month is explained as soon as an invoice has been issued.</p>
        </EmptyState>
      </Card>
    </>
  )
}

/** Returns the profiles that a view names; all where it names none. */
function namedOf(profiles: LoadedExplanation['profiles'], view: View) {
  const named = valuesOf(view, 'billingProfile')
  return named.length === 0 ? profiles : profiles.filter(({ id }) => named.includes(id))
}
