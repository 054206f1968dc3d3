import 'server-only'
import { readLinks } from '#lib/billing/invoices/document-links.ts'
import type { Owner } from '#lib/billing/invoices/selection.ts'
import { listInvoicePayments } from '#lib/billing/payments/read.ts'
import { PAYMENT_KIND_NAMES } from '#lib/billing/payments/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import { Exact, payableOf } from '#lib/platform/values/decimals.ts'
import type { InvoiceDocument, PaymentList } from './document.ts'

/** Reads the payments and credits of an issued invoice until now, for a copy of its document. */
export async function readPaymentList(
  tx: Transaction,
  owner: Owner,
  id: string,
  { totalAmount, currency }: Pick<InvoiceDocument, 'totalAmount' | 'currency'>,
): Promise<PaymentList> {
  const payments = await listInvoicePayments(tx, owner, id)
  const { corrects, correctedBy } = await readLinks(tx, owner, id)
  const today = await readToday(tx)
  const current = payments.filter(({ reversedOn }) => reversedOn === null)
  const rows = current.map(({ bookedOn, kind, reference, method, amount }) => ({
    day: bookedOn,
    name: PAYMENT_KIND_NAMES[kind],
    details: [reference, method].filter(Boolean).join(' · '),
    amount: new Exact(amount).neg().toFixed(),
  }))
  const credits = [
    ...correctedBy.map(({ number, setOff = '0' }) => ({
      name: `Credit note ${number}`,
      amount: new Exact(setOff).neg(),
    })),
    ...(corrects
      ? [{ name: `Set off against ${corrects.number}`, amount: new Exact(corrects.setOff ?? '0') }]
      : []),
  ].filter(({ amount }) => !amount.eq(0))
  const balance = rows.reduce((rest, { amount }) => rest.plus(amount), new Exact(totalAmount))
  const payable = credits.reduce(
    (rest, { amount }) => rest.plus(amount),
    new Exact(payableOf(balance.toFixed(), currency)),
  )
  return {
    day: today,
    rows: [
      ...rows,
      ...credits.map(({ name, amount }) => ({ day: undefined, name, details: '', amount: amount.toFixed() })),
    ],
    balance: payable.toFixed(),
  }
}
