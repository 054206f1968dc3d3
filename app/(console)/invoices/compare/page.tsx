import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { disambiguatingIssuer } from '#components/billing/invoices/numbers.ts'
import { ComparisonPicker, NothingChosen } from '#components/costs/comparisons/comparison-picker.tsx'
import { ComparisonSummary } from '#components/costs/comparisons/comparison-summary.tsx'
import { ComparisonTable } from '#components/costs/comparisons/comparison-table.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { compareInvoices, exportComparison, exportComparisonXlsx } from '#lib/costs/client.ts'
import { comparableInvoices, newestInvoices } from '#lib/costs/comparisons/compared.ts'
import type { InvoiceComparison } from '#lib/costs/comparisons/contract.ts'
import { PROBLEMS, Problem } from '#lib/platform/api/problem.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { Missing } from '../../../missing.tsx'
import { type SearchParams, searchOf } from '../../address.ts'
import { currentCaller, requireCaller } from '../../caller.ts'
import { MissingRole } from '../../missing-role.tsx'
import { compare } from './compare.ts'
import { toComparisonView } from './comparison-view.ts'

const TITLE = 'Compare invoices'
const BREADCRUMB = { href: '/invoices', name: 'Invoices' }

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const [{ from, to }, caller] = [await searchParams, await currentCaller()]
  if (typeof from !== 'string' || typeof to !== 'string' || !caller || !may(caller, 'invoice-viewer'))
    return { title: TITLE }
  // If the invoices can't be compared, the page shows the reason.
  const compared = await compare(caller, from, to).catch(() => undefined)
  if (isMissing(compared)) return { title: 'Page not found' }
  if (!compared || compared instanceof Problem) return { title: TITLE }
  return { title: escapeInvisible(`${compared.from.number} vs. ${compared.to.number}`) }
}

/** Returns whether one of two compared invoices does not exist. */
function isMissing(compared: unknown): boolean {
  return compared instanceof Problem && compared.code === 'not_found'
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const search = await searchOf(searchParams)
  const caller = await requireCaller(pathWith('/invoices/compare', search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={TITLE} caller={caller} permission="invoice-viewer" />
  }
  const params = new URLSearchParams(search)
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  if (!from && !to)
    return (
      <>
        <PageHeader breadcrumb={BREADCRUMB} title={TITLE} />
        <NothingChosen choices={await newestInvoices(caller)} />
      </>
    )
  const [choices, compared] = await Promise.all([
    comparableInvoices(caller, to || from),
    from && to ? compare(caller, from, to) : undefined,
  ])
  if (choices.length === 0 || isMissing(compared)) return <Missing />
  const picker = <ComparisonPicker choices={choices} from={from} to={to} />
  if (compared && !(compared instanceof Problem)) {
    return <Compared comparison={compared} picker={picker} />
  }
  return (
    <>
      <PageHeader breadcrumb={BREADCRUMB} title={TITLE} />
      {picker}
      {compared ? (
        <ProblemNote title={PROBLEMS[compared.code].title} detail={compared.message} />
      ) : (
        <ChooseAnother
          number={choices.find(({ id }) => id === (to || from))?.number ?? (to || from)}
          isAlone={choices.length === 1}
        />
      )}
    </>
  )
}

function Compared({ comparison, picker }: { comparison: InvoiceComparison; picker: ReactNode }) {
  const { from, to } = comparison
  const { counts, total, missing, ...lines } = toComparisonView(comparison)
  const query = { from: from.id, to: to.id }
  const issuerOf = disambiguatingIssuer([from, to])
  const nameOf = (one: typeof from) => [one.number, issuerOf(one)].filter(Boolean).join(', ')
  return (
    <>
      <PageHeader
        breadcrumb={BREADCRUMB}
        title={TITLE}
        subtitle={`${platformName(to.platform)} · ${counts}`}
        actions={
          <>
            <ExportMenu
              files={{
                'Excel (XLSX)': exportComparisonXlsx.path({ query }),
                CSV: exportComparison.path({ query }),
              }}
            />
            <CopyRequest path={compareInvoices.path({ query })} />
          </>
        }
      />
      {picker}
      <ComparisonSummary from={from} to={to} effect={total.effect} share={total.share} />
      <ComparisonTable headers={{ from: nameOf(from), to: nameOf(to) }} {...lines} />
      {missing ? (
        <p className="mt-4 rounded-card bg-warn-tint px-4 py-2.5 text-sm text-warn">
          No line explains what is not itemized: {missing.from} {to.currency} of {nameOf(from)}, {missing.to}{' '}
          {to.currency} of {nameOf(to)}.
        </p>
      ) : null}
    </>
  )
}

function ChooseAnother({ number, isAlone }: { number: string; isAlone: boolean }) {
  return (
    <Card>
      {isAlone ? (
        <EmptyState title={`There is nothing to compare ${number} with`}>
          <p>It is the only invoice of its platform and currency.</p>
        </EmptyState>
      ) : (
        <EmptyState title={`Choose what to compare ${number} with`}>
          <p>All invoices of its platform and currency can be chosen.</p>
        </EmptyState>
      )}
    </Card>
  )
}
