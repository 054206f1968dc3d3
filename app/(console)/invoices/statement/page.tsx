import type { Metadata } from 'next'
import type { View } from '#components/billing/statements/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import { LetterLines, profilesLine } from '#components/shell/frame/print-header.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import {
  exportStatement,
  exportStatementPdf,
  exportStatementXlsx,
  readStatement,
} from '#lib/billing/client.ts'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import * as contract from '#lib/billing/statements/contract.ts'
import * as operations from '#lib/billing/statements/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { readQuery, type SearchParams, searchOf } from '../../address.ts'
import { requireCaller } from '../../caller.ts'
import { asInvalid, InvalidView, StreamedRows } from '../../invalid-view.tsx'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'
import { ALL, Statement } from './statement.tsx'

export const metadata: Metadata = { title: 'Statement' }

const TITLE = 'Statement'
const BREADCRUMB = { href: '/invoices', name: 'Invoices' }
const INVALID = { title: TITLE, label: 'open items', path: ALL }
/** Largest page size of the API: the printed statement should be complete. */
const MAX_ITEMS = 250

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices/statement', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  const view = await readQuery(contract.readStatement, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const query = { ...view, maxResults: view.maxResults ?? MAX_ITEMS }
  const input = { params: {}, query, body: undefined }
  const answer = await settleWithin(load(caller, input, await requestMeta()).catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <Streamed answer={answer} fallback={null}>
        {(result) => (
          <LetterLines
            lines={result instanceof Problem ? [] : [profilesLine(namedOf(result.profiles, view))]}
          />
        )}
      </Streamed>
      <PageHeader
        breadcrumb={BREADCRUMB}
        title={TITLE}
        subtitle={
          <Streamed answer={answer} fallback={OPEN}>
            {(result) => (result instanceof Problem ? OPEN : openOn(result.statement.today))}
          </Streamed>
        }
        actions={<ButtonLink href="/invoices/account">Account statement</ButtonLink>}
      />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Statement
            view={view}
            {...result}
            tools={
              <>
                <ExportMenu
                  files={{
                    PDF: exportStatementPdf.path({ query: { filter: view.filter } }),
                    'Excel (XLSX)': exportStatementXlsx.path({ query: { filter: view.filter } }),
                    CSV: exportStatement.path({ query: { filter: view.filter } }),
                  }}
                />
                <PrintButton />
                <CopyRequest path={readStatement.path({ query })} />
              </>
            }
          />
        )}
      </StreamedRows>
    </>
  )
}

type LoadedStatement = Awaited<ReturnType<typeof load>>

async function load(caller: Caller, input: Input<typeof contract.readStatement>, meta: RequestMeta) {
  const [{ body: statement }, profiles] = await Promise.all([
    operations.readStatement(caller, input, meta),
    listCallerProfiles(caller),
  ])
  return { statement, profiles }
}

/** Returns the profiles that a view names; all where it names none. */
function namedOf(profiles: LoadedStatement['profiles'], view: View) {
  const named = valuesOf(view, 'billingProfile')
  return named.length === 0 ? profiles : profiles.filter(({ id }) => named.includes(id))
}

/** Has the length of the line with the date, which it replaces. */
const OPEN = 'Open balance today'

function openOn(day: number): string {
  return `Open balance as of ${dayText(day)}`
}
