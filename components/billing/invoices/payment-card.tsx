import { ExternalLink } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { Card } from '#components/ui/card.tsx'
import { CopyValue } from '#components/ui/copy-button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { QrCode } from '#components/ui/qr-code.tsx'

/** How an amount is paid, as text; undefined members are not known. */
export type PaymentView = {
  payee: string
  /** `1,250.00 EUR`. */
  amountText: string
  /** `1250.00`. */
  amount: string
  reference: string
  bank: string | undefined
  /** In groups of four characters. */
  ibanText: string | undefined
  iban: string | undefined
  bic: string | undefined
  account: string | undefined
  qr: { size: number; path: string } | undefined
  paymentUrl: string | undefined
}

/**
 * Details of a bank transfer, each with a copy button, next to the QR code with the same data, and the link to the
 * issuer's payment page.
 */
export function PaymentCard({
  title,
  payment,
  note,
}: {
  title: ReactNode
  payment: PaymentView
  note?: string | undefined
}) {
  const { payee, amountText, iban, account, qr, paymentUrl } = payment
  const isTransfer = iban !== undefined || account !== undefined
  return (
    <Card className="mb-4 flex flex-wrap items-start gap-x-6 gap-y-4 p-4 max-md:p-3.5">
      <div className="min-w-0 grow basis-72">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <h2 className="min-w-0 font-[650] wrap-anywhere">{title}</h2>
          {paymentUrl === undefined ? null : (
            <a
              href={paymentUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonVariants('plain', 'print:hidden')}
            >
              Pay {amountText}
              <ExternalLink aria-hidden="true" className="size-3.5" />
              <span className="sr-only"> (opens {new URL(paymentUrl).hostname} in a new tab)</span>
            </a>
          )}
        </div>
        {isTransfer ? <Transfer payment={payment} /> : null}
        {note ? <p className="mt-2 text-xs text-ink-3">{note}</p> : null}
      </div>
      {qr ? (
        <div className="grid w-44 shrink-0 gap-1.5 max-md:mx-auto max-md:w-56">
          <QrCode
            {...qr}
            label={`QR code for a SEPA credit transfer of ${amountText} to ${escapeInvisible(payee)}, with the details listed here`}
            className="w-full border border-line"
          />
          <p className="text-center text-xs text-ink-3">Scan with your banking app (EPC QR code)</p>
        </div>
      ) : null}
    </Card>
  )
}

/** Details of a bank transfer: in two columns, or in one next to a QR code. */
function Transfer({ payment }: { payment: PaymentView }) {
  const { payee, amountText, amount, reference, bank, ibanText, iban, bic, account, qr } = payment
  return (
    <dl className={`mt-2 ${qr ? '' : 'md:grid md:grid-cols-2 md:gap-x-10 md:[&>:nth-child(2)]:border-t-0'}`}>
      <Detail label="Payee" value={payee} />
      {bank === undefined ? null : <Detail label="Bank" value={bank} />}
      {iban === undefined ? null : <Detail label="IBAN" value={ibanText ?? iban} copyText={iban} />}
      {bic === undefined ? null : <Detail label="BIC" value={bic} />}
      {account === undefined ? null : <Detail label="Account" value={account} />}
      <Detail label="Amount" value={amountText} copyText={amount} />
      <Detail label="Reference" value={reference} />
    </dl>
  )
}

/** Length up to which a part of a detail has room, and stays on one line. */
const MAX_UNBROKEN = 20

/** Returns the parts of a value, such as its invoice numbers, each in one piece. */
function partsOf(value: string): ReactNode {
  return value.split(', ').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: equal parts have no other key
    <Fragment key={at}>
      {at > 0 ? ', ' : ''}
      <span className={part.length > MAX_UNBROKEN ? '' : 'whitespace-nowrap'}>{part}</span>
    </Fragment>
  ))
}

/** Detail with a copy button, which copies `copyText` where that differs from the displayed value. */
function Detail({ label, value, copyText = value }: { label: string; value: string; copyText?: string }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 border-t border-line py-1 first:border-t-0">
      <dt className="w-20 shrink-0 text-xs text-ink-3">{label}</dt>
      <dd className="flex min-w-0 grow basis-40 items-center justify-between gap-2 text-sm">
        <span className="min-w-0 wrap-anywhere">{partsOf(escapeInvisible(value))}</span>
        <span className="-mr-3 shrink-0 print:hidden">
          <CopyValue label={label} value={copyText} />
        </span>
      </dd>
    </div>
  )
}
