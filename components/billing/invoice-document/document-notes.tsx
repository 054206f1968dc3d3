import Link from 'next/link'
import type { ReactNode } from 'react'
import { invoiceHref } from '#components/billing/invoices/view.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { documentName } from '#lib/billing/invoices/rules.ts'
import { moneyText } from '#lib/platform/values/money.ts'

type DocumentNotesProps = { invoice: InvoiceWithLines; search: string }

/** Notes on an invoice that is not simply issued, and its links to other invoices. */
export function DocumentNotes({ invoice, search }: DocumentNotesProps) {
  const { documentState, form, corrects, correctedBy, replaces, replacedBy } = invoice
  return (
    <>
      {documentState === 'draft' ? (
        <Note tone="warn">
          {form === 'summary' ? 'Charges so far, not billed: they ' : 'This is a draft: its charges '}
          may still change until it is issued. Nothing of it is owed, and no sum of what is due counts it.
        </Note>
      ) : null}
      {documentState === 'voided' ? (
        <Note tone="warn">
          This document is voided. It is no longer valid, and nothing is owed.
          {replacedBy ? (
            <>
              {' '}
              In its place: <To id={replacedBy} search={search} />.
            </>
          ) : null}
        </Note>
      ) : null}
      {replaces || corrects || correctedBy.length > 0 ? <Others invoice={invoice} search={search} /> : null}
    </>
  )
}

/** The other documents that it is to be read with. */
function Others({ invoice, search }: DocumentNotesProps) {
  const { form, totalAmount, currency, corrects, correctedBy, replaces } = invoice
  const isCredit = documentName(form, totalAmount) === 'Credit note'
  return (
    <Note tone="info">
      {replaces ? (
        <>
          This came into the place of <To id={replaces} search={search} />, which is voided.{' '}
        </>
      ) : null}
      {corrects ? (
        <>
          {isCredit ? 'This credit note is of invoice ' : 'This corrects invoice '}
          {corrects.id ? (
            <To id={corrects.id} text={corrects.number} search={search} />
          ) : (
            escapeInvisible(corrects.number)
          )}
          {corrects.setOffAmount === undefined ? null : (
            <>
              , against which{' '}
              <span className="whitespace-nowrap">{moneyText(corrects.setOffAmount, currency)}</span> of it is
              set off
            </>
          )}
          .{' '}
        </>
      ) : null}
      {correctedBy.map(({ id, number, setOffAmount }, index) => (
        <span key={id}>
          {index > 0 ? ', ' : 'Corrected by '}
          <To id={id} text={number} search={search} />
          {setOffAmount === undefined ? '' : `, ${moneyText(setOffAmount, currency)} set off`}
          {index === correctedBy.length - 1 ? '.' : ''}
        </span>
      ))}
    </Note>
  )
}

function Note({ tone, children }: { tone: 'info' | 'warn'; children: ReactNode }) {
  const toneClass = tone === 'warn' ? 'bg-warn-tint text-warn' : 'bg-info-tint text-info'
  return <p className={`mb-4 rounded-card px-4 py-2.5 text-sm wrap-anywhere ${toneClass}`}>{children}</p>
}

function To({ id, text = id, search }: { id: string; text?: string; search: string }) {
  return (
    <Link
      href={invoiceHref(id, search)}
      prefetch={false}
      className="rounded-sm font-[550] underline underline-offset-2"
    >
      {escapeInvisible(text)}
    </Link>
  )
}
