import type { Metadata } from 'next'
import { Suspense } from 'react'
import type { FilterChoices } from '#components/billing/invoice-filters/choices.ts'
import { Invoices } from '#components/billing/invoice-list/invoices.tsx'
import type { SummaryError } from '#components/billing/invoice-summary/streamed-summary.tsx'
import { statesOf } from '#components/billing/invoices/view.ts'
import { hrefOf as statementHref } from '#components/billing/statements/view.ts'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { selectionOf } from '#components/lists/filters/view.ts'
import { LetterLines, profilesLine } from '#components/shell/frame/print-header.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listInvoices } from '#lib/billing/client.ts'
import * as contract from '#lib/billing/invoices/contract.ts'
import * as operations from '#lib/billing/invoices/operations.ts'
import { type Kinds, readKinds } from '#lib/billing/invoices/sums/kinds.ts'
import { listCallerProfiles } from '#lib/billing/posting-details/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import { selectedColumns } from '#lib/workspace/list-columns/operations.ts'
import { readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { asInvalid, InvalidView, StreamedRows } from '../invalid-view.tsx'
import { MissingRole } from '../missing-role.tsx'
import { requestMeta } from '../request-meta.ts'
import { Streamed, settleWithin } from '../streamed.tsx'
import { Products } from './products.tsx'

export const metadata: Metadata = { title: 'Invoices' }

const INVALID = { title: 'Invoices', label: 'invoices', path: '/invoices' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title="Invoices" caller={caller} permission="invoice-viewer" />
  }
  const view = await readQuery(contract.listInvoices, search)
  if (view instanceof Problem) return <InvalidView {...INVALID} problem={view} />
  const selection = selectionOf(view)
  const meta = await requestMeta()
  const nothing = { params: {}, body: undefined }
  // Started in parallel with the list, which does not wait for it.
  const pendingSummary = operations.summarizeInvoices(caller, { ...nothing, query: selection }, meta).then(
    ({ body }) => ({ summary: body }),
    (error: unknown) => asFailed(error, meta),
  )
  const answers = Promise.all([
    operations.listInvoices(caller, { ...nothing, query: view }, meta),
    listCallerProfiles(caller),
    readKinds(caller),
    selectedColumns(caller, 'invoices'),
  ])
  const answer = await settleWithin(answers.catch(asInvalid))
  if ('now' in answer && answer.now instanceof Problem)
    return <InvalidView {...INVALID} problem={answer.now} />
  return (
    <>
      <Streamed answer={answer} fallback={null}>
        {(result) => <LetterLines lines={result instanceof Problem ? [] : [profilesLine(result[1])]} />}
      </Streamed>
      <PageHeader
        title="Invoices"
        // On a phone the first screen is reserved for invoices.
        subtitle={
          <span className="max-md:hidden">{`All your billing profiles at ${caller.customerName}`}</span>
        }
        actions={
          <ButtonLink href={statementHref(statementView(view))} prefetch={false}>
            Statement
          </ButtonLink>
        }
      />
      <StreamedRows answer={answer} invalid={INVALID}>
        {(result) => (
          <Hydrated answers={[[listInvoices.key({ query: view }), result[0].body]]}>
            <Invoices
              view={view}
              choices={choicesOf(result)}
              columns={result[3]}
              today={Date.now()}
              pendingSummary={pendingSummary}
              tools={<CopyRequest path={listInvoices.path({ query: view })} />}
              products={
                view.product && statesOf(view).includes('issued') ? (
                  <Suspense fallback={<RowsWaiting />}>
                    <Products view={view} product={view.product} caller={caller} meta={meta} />
                  </Suspense>
                ) : null
              }
            />
          </Hydrated>
        )}
      </StreamedRows>
    </>
  )
}

/** Returns the filters that the statement shares with the list. */
function statementView({
  filter = {},
}: Input<typeof contract.listInvoices>['query']): Parameters<typeof statementHref>[0] {
  const { platform, billingProfile, currency } = filter
  const statementFilter = {
    ...(billingProfile ? { billingProfile } : {}),
    ...(platform ? { platform } : {}),
    ...(currency ? { currency } : {}),
  }
  return Object.keys(statementFilter).length > 0 ? { filter: statementFilter } : {}
}

/** Returns the filter choices: of a billing profile, the browser needs only its name and id. */
function choicesOf([, profiles, kinds]: readonly [
  unknown,
  readonly { id: string; name: string }[],
  Kinds,
  ...unknown[],
]): FilterChoices {
  return { profiles: profiles.map(({ id, name }) => ({ id, name })), ...kinds }
}

/** Returns the text of a failed summary, and logs the error if it is ours. */
function asFailed(error: unknown, { requestId }: RequestMeta): { failed: SummaryError } {
  const problem = toProblem(error)
  logFailure(problem, error, requestId)
  return { failed: { why: problem.message, requestId } }
}
