import type { Metadata } from 'next'
import { cache } from 'react'
import { DocumentNotes } from '#components/billing/invoice-document/document-notes.tsx'
import { FileLinks } from '#components/billing/invoice-document/file-links.tsx'
import { InvoiceCharges } from '#components/billing/invoice-document/invoice-charges.tsx'
import { InvoiceCodes } from '#components/billing/invoice-document/invoice-codes.tsx'
import { InvoiceDetails } from '#components/billing/invoice-document/invoice-details.tsx'
import { InvoiceLines, SeatCheckNote } from '#components/billing/invoice-document/invoice-lines.tsx'
import { NeighbourLinks } from '#components/billing/invoice-document/neighbour-links.tsx'
import { PaymentTable } from '#components/billing/invoice-document/payment-table.tsx'
import { TaxTable } from '#components/billing/invoice-document/tax-table.tsx'
import { PaymentCard } from '#components/billing/invoices/payment-card.tsx'
import { latenessOf, StatusBadge } from '#components/billing/invoices/status-badge.tsx'
import { CompareLink } from '#components/costs/comparisons/compare-link.tsx'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { LetterLines } from '#components/shell/frame/print-header.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { listInvoices, readInvoice, readInvoiceFile } from '#lib/billing/client.ts'
import * as contract from '#lib/billing/invoices/contract.ts'
import * as operations from '#lib/billing/invoices/operations.ts'
import { documentName } from '#lib/billing/invoices/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import { countryName } from '#lib/platform/values/countries.ts'
import { monthAndYear } from '#lib/platform/values/days.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { Missing } from '../../../missing.tsx'
import { idOf, readQuery, type SearchParams, searchOf } from '../../address.ts'
import { currentCaller, requireCaller } from '../../caller.ts'
import { MissingRole } from '../../missing-role.tsx'
import { requestMeta } from '../../request-meta.ts'
import { Streamed, settleWithin } from '../../streamed.tsx'
import { toPaymentView } from '../payment-view.ts'
import { toChargesView } from './charges-view.ts'
import { toLinesView } from './lines-view.ts'
import { toPaymentsView } from './payments-view.ts'
import { addressLines, relatedData } from './related-data.ts'
import { seatNotes } from './seat-notes.ts'
import { toCodes, toTaxView } from './tax-view.ts'

type PageProps = { params: Promise<{ id: string }>; searchParams: SearchParams }

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const id = idOf((await params).id)
  const caller = await currentCaller()
  if (!caller || !may(caller, 'invoice-viewer')) return { title: `Invoice ${id}` }
  // If it can't be read, the page shows the reason.
  const invoice = await loadInvoice(caller, id).catch(() => null)
  if (invoice === undefined) return { title: 'Page not found' }
  if (!invoice) return { title: `Invoice ${id}` }
  return { title: `${documentName(invoice.form, invoice.totalAmount)} ${invoice.number}` }
}

export default async function Page({ params, searchParams }: PageProps) {
  const [id, search] = [idOf((await params).id), await searchOf(searchParams)]
  const caller = await requireCaller(pathWith(`/invoices/${encodeURIComponent(id)}`, search))
  if (!may(caller, 'invoice-viewer')) {
    return <MissingRole title={`Invoice ${id}`} caller={caller} permission="invoice-viewer" />
  }
  const view = await readQuery(contract.listInvoices, search)
  // An invalid address of the list is passed back unchanged: the list explains it.
  const listed = view instanceof Problem ? search : listInvoices.search(view)
  // Load the invoice before anything is sent, so that a missing one gets the status 404.
  const invoice = await loadInvoice(caller, id)
  if (!invoice) return <Missing />
  const [answer, seats] = await Promise.all([
    settleWithin(relatedData(caller, invoice, view)),
    settleWithin(seatNotes(caller, invoice)),
  ])
  const { sums, rows } = toLinesView(invoice)
  const tax = toTaxView(invoice)
  const charges = toChargesView(invoice)
  const payments = toPaymentsView(invoice)
  const lateness = latenessOf(invoice, Date.now())
  return (
    <>
      <Streamed answer={answer} fallback={null}>
        {({ recipient }) => <LetterLines lines={addressLines(recipient)} />}
      </Streamed>
      <PageHeader
        breadcrumb={{ href: pathWith('/invoices', listed), name: 'Invoices' }}
        title={invoice.number}
        badge={<StatusBadge invoice={invoice} note={lateness} />}
        subtitle={
          <>
            {documentName(invoice.form, invoice.totalAmount)} · {platformName(invoice.platform)} ·{' '}
            {monthAndYear(invoice.invoiceDate)}
            <span className="print:hidden">
              {' · '}
              <Streamed answer={answer} fallback={null}>
                {({ before }) => <CompareLink id={id} before={before} />}
              </Streamed>
            </span>
          </>
        }
        actionsBelow
        actions={
          <>
            <Streamed answer={answer} fallback={null}>
              {({ adjacent }) => <NeighbourLinks {...adjacent} search={listed} />}
            </Streamed>
            <FileLinks
              href={readInvoiceFile.path({ params: { invoice_id: id } })}
              files={invoice.files}
              copy={
                payments.length > 0 && invoice.documentState === 'issued'
                  ? readInvoiceFile.path({ params: { invoice_id: id }, query: { kind: 'copy' } })
                  : undefined
              }
            />
            <CopyRequest path={readInvoice.path({ params: { invoice_id: id } })} />
          </>
        }
      />
      <DocumentNotes invoice={invoice} search={listed} />
      <Streamed answer={answer} fallback={<RowsWaiting />}>
        {({ recipient }) => (
          <InvoiceDetails
            invoice={invoice}
            billedTo={recipient?.name}
            countries={{ seller: nameOf(invoice.sellerCountry), buyer: nameOf(invoice.buyerCountry) }}
            balance={sums.balance}
            isPastDue={lateness !== undefined}
            maySet={may(caller, 'posting-editor')}
          />
        )}
      </Streamed>
      {invoice.paymentInstructions ? (
        <PaymentCard title="How to pay" payment={toPaymentView(invoice.paymentInstructions)} />
      ) : null}
      <Streamed answer={seats} fallback={<RowsWaiting />}>
        {({ lines, summary }) => (
          <InvoiceLines
            rows={rows.map((row, index) => (lines[index] ? { ...row, seats: lines[index] } : row))}
            sums={sums}
            currency={invoice.currency}
            seats={summary}
          />
        )}
      </Streamed>
      {payments.length > 0 ? (
        <PaymentTable rows={payments} currency={invoice.currency} balance={sums.balance} />
      ) : null}
      {tax?.differences ? <SeatCheckNote text={tax.differences} fits={false} /> : null}
      {tax && tax.rows.length > 0 ? (
        <TaxTable rows={tax.rows} currency={invoice.currency} note={tax.note} />
      ) : null}
      {charges ? <InvoiceCharges charges={charges} currency={invoice.currency} /> : null}
      <InvoiceCodes codes={toCodes(invoice)} />
    </>
  )
}

function nameOf(country: string | undefined): string | undefined {
  return country && countryName(country)
}

/** Returns an invoice; undefined if there is none. Cached per request for the page and its title. */
const loadInvoice = cache(
  async (caller: Caller, id: string): Promise<contract.InvoiceWithLines | undefined> => {
    try {
      const input = { params: { invoice_id: id }, query: {}, body: undefined }
      return (await operations.readInvoice(caller, input, await requestMeta())).body
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return undefined
      throw error
    }
  },
)
