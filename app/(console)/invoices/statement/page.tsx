import type { Metadata } from 'next'
import type { View } from '#components/billing/statements/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import { LetterLines, profilesLine } from '#components/shell/frame/letterhead.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { exportStatement, exportStatementXlsx, readStatement } from '#lib/billing/client.ts'
import { listOwnProfiles } from '#lib/billing/posting-details/operations.ts'
import * as contract from '#lib/billing/statements/contract.ts'
import * as operations from '#lib/billing/statements/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { Trace } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { asInvalid, InvalidNote, InvalidView } from '../../invalid-view.tsx'
import { Late, soon } from '../../late.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { traceOf } from '../../trace.ts'
import { ALL, Statement } from './statement.tsx'

export const metadata: Metadata = { title: 'Statement' }

const TITLE = 'Statement'
const CRUMB = { href: '/invoices', name: 'Invoices' }
const INVALID = { title: TITLE, what: 'open items', path: ALL }
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
  const answer = await soon(load(caller, input, await traceOf()).catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <Late answer={answer} fallback={null}>
        {(found) => (
          <LetterLines
            lines={found instanceof Problem ? [] : [profilesLine(namedOf(found.profiles, view))]}
          />
        )}
      </Late>
      <PageHead
        crumb={CRUMB}
        title={TITLE}
        subtitle={
          <Late answer={answer} fallback={OPEN}>
            {(found) => (found instanceof Problem ? OPEN : openOn(found.statement.today))}
          </Late>
        }
        actions={
          <>
            <ExportMenu
              files={{
                'Excel (XLSX)': exportStatementXlsx.path({ query: { filter: view.filter } }),
                CSV: exportStatement.path({ query: { filter: view.filter } }),
              }}
            />
            <PrintButton />
            <MoreMenu path={readStatement.path({ query })} />
          </>
        }
      />
      <Late answer={answer} fallback={<RowsWaiting />}>
        {(found) =>
          found instanceof Problem ? (
            <InvalidNote {...INVALID} problem={found} />
          ) : (
            <Statement view={view} {...found} />
          )
        }
      </Late>
    </>
  )
}

type Found = Awaited<ReturnType<typeof load>>

async function load(caller: Caller, input: Input<typeof contract.readStatement>, trace: Trace) {
  const [{ body: statement }, profiles] = await Promise.all([
    operations.readStatement(caller, input, trace),
    listOwnProfiles(caller),
  ])
  return { statement, profiles }
}

/** Those that a view names; all where it names none. */
function namedOf(profiles: Found['profiles'], view: View) {
  const named = valuesOf(view, 'billingProfile')
  return named.length === 0 ? profiles : profiles.filter(({ id }) => named.includes(id))
}

/** As long as the line with the day, in whose place it stands. */
const OPEN = 'What is open today, and for how long.'

function openOn(day: number): string {
  return `What is open on ${dayText(day)}, and for how long.`
}
