import Link from 'next/link'
import type { ReactNode } from 'react'
import { invoiceHref } from '#components/invoices/view.ts'
import type { InvoiceWithLines } from '#lib/invoices/contract.ts'
import { documentName } from '#lib/invoices/rules.ts'

type Other = { id: string; text?: string; search: string }

/** What an invoice is as a document, where that is not simply issued, and which others it stands for or against. */
export function DocumentNotes({ invoice, search }: { invoice: InvoiceWithLines; search: string }) {
  const { documentState, form, totalAmount, corrects, correctedBy, replaces, replacedBy } = invoice
  const name = documentName(form, totalAmount)
  return (
    <>
      {documentState === 'draft' ? (
        <Note tone="warn">
          This is a draft: its charges may still change until it is issued. Nothing of it is owed, and no sum
          of what is due counts it.
        </Note>
      ) : null}
      {documentState === 'voided' ? (
        <Note tone="warn">
          This document is voided: it is valid no more, and nothing of it is owed.
          {replacedBy ? (
            <>
              {' '}
              In its place: <To id={replacedBy} search={search} />.
            </>
          ) : null}
        </Note>
      ) : null}
      {replaces ? (
        <Note>
          In the place of <To id={replaces} search={search} />, which is voided.
        </Note>
      ) : null}
      {corrects ? (
        <Note>
          {name === 'Credit note' ? 'This credit note is of invoice ' : 'This corrects invoice '}
          {corrects.id ? <To id={corrects.id} text={corrects.number} search={search} /> : corrects.number}.
        </Note>
      ) : null}
      {correctedBy.length > 0 ? (
        <Note>
          Corrected by{' '}
          {correctedBy.map(({ id, number }, index) => (
            <span key={id}>
              {index > 0 ? ', ' : ''}
              <To id={id} text={number} search={search} />
            </span>
          ))}
          .
        </Note>
      ) : null}
    </>
  )
}

function Note({ tone = 'info', children }: { tone?: 'info' | 'warn'; children: ReactNode }) {
  const look = tone === 'warn' ? 'bg-warn-tint text-warn' : 'bg-info-tint text-info'
  return <p className={`mb-4 rounded-card px-4 py-2.5 text-sm wrap-anywhere ${look}`}>{children}</p>
}

function To({ id, text = id, search }: Other) {
  return (
    <Link
      href={invoiceHref(id, search)}
      prefetch={false}
      className="rounded-sm font-[550] tabular-nums underline underline-offset-2"
    >
      {text}
    </Link>
  )
}
