import type { Metadata } from 'next'
import { Invoices } from '#components/invoices/invoices.tsx'
import { selectionOf } from '#components/invoices/view.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { may } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import * as contract from '#lib/invoices/contract.ts'
import * as operations from '#lib/invoices/operations.ts'
import { listInvoices, summarizeInvoices } from '#lib/invoices/queries.ts'
import { pathWith, readQuery, type SearchParams, searchOf } from '../address.ts'
import { requireCaller } from '../caller.ts'
import { Hydrated } from '../hydrated.tsx'
import { MissingRole } from '../missing-role.tsx'
import { originOf } from '../origin.ts'

export const metadata: Metadata = { title: 'Invoices' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title="Invoices" caller={caller} permission="invoice-viewer" />
  }
  const view = await readQuery(contract.listInvoices, search)
  if (view instanceof Problem) return <InvalidView problem={view} />
  const selection = selectionOf(view)
  const origin = await originOf()
  const nothing = { params: {}, body: undefined }
  const answers = await Promise.all([
    operations.listInvoices(caller, { ...nothing, query: view }, origin),
    operations.summarizeInvoices(caller, { ...nothing, query: selection }, origin),
  ]).catch(refusal)
  if (answers instanceof Problem) return <InvalidView problem={answers} />
  const [list, summary] = answers
  return (
    <>
      <PageHead
        title="Invoices"
        subtitle={`All your billing profiles at ${caller.customerName}.`}
        actions={<CopyRequest path={listInvoices.path({ query: view })} />}
      />
      <Hydrated
        answers={[
          [listInvoices.key({ query: view }), list.body],
          [summarizeInvoices.key({ query: selection }), summary.body],
        ]}
      >
        <Invoices view={view} today={Date.now()} />
      </Hydrated>
    </>
  )
}

/** What the address asks for that can't be had; anything else is not the address's fault. */
function refusal(error: unknown): Problem {
  if (error instanceof Problem && error.status === 400) return error
  throw error
}

function InvalidView({ problem }: { problem: Problem }) {
  return (
    <>
      <PageHead title="Invoices" />
      <ProblemNote
        title="This address leads to no list of invoices"
        detail={problem.message}
        action={<ButtonLink href="/invoices">Show all invoices</ButtonLink>}
      />
    </>
  )
}
