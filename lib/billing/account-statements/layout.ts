import 'server-only'
import { createHash } from 'node:crypto'
import { writeAmountLine, writeHeading } from '#lib/platform/pdf/block.ts'
import { ensureRoom, finishPdf, openPdf, PAGE, type PdfDocument } from '#lib/platform/pdf/document.ts'
import { writeTextTable } from '#lib/platform/pdf/table.ts'
import { dayText, epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { formatAmount, moneyText } from '#lib/platform/values/money.ts'
import { MOVEMENT_NAMES } from './rules.ts'
import type { Account } from './serialize.ts'

/** An account statement as it is printed. */
export type AccountDocument = {
  /** Names of the billing profiles with movements or open items. */
  profiles: readonly string[]
  from: string
  to: string
  accounts: readonly Account[]
}

/** Renders an account statement as a PDF: per currency the movements with running balance, and the open items. */
export async function renderAccountPdf(document: AccountDocument): Promise<Uint8Array> {
  const { profiles, from, to, accounts } = document
  const days = `${dayText(from)} – ${dayText(to)}`
  const title = `Account statement ${days}`
  const id = createHash('sha256').update(JSON.stringify(document)).digest().subarray(0, 16)
  const pdf = openPdf({ title, author: 'Licenses & Invoices', date: new Date(epochOfDay(to)), id })
  writeHeading(pdf, 'H1', 'Account statement', 22)
  pdf.y += 8
  writeAmountLine(pdf, PAGE.left, { label: days, amount: '', style: { size: 9.5 } })
  for (const name of profiles)
    writeAmountLine(pdf, PAGE.left, { label: name, amount: '', style: { size: 9.5 } })
  if (accounts.length === 0)
    writeAmountLine(pdf, PAGE.left, { label: 'Nothing was owed or moved.', amount: '', style: { size: 9.5 } })
  for (const account of accounts) await renderAccount(pdf, document, account)
  return finishPdf(pdf, title)
}

async function renderAccount(
  pdf: PdfDocument,
  { from, to }: Pick<AccountDocument, 'from' | 'to'>,
  { currency, opening, closing, credit, movements, openItems }: Account,
): Promise<void> {
  pdf.y += 14
  writeHeading(pdf, 'H2', currency, 14)
  writeAmountLine(pdf, PAGE.left, {
    label: `Opening balance on ${dayText(from)}`,
    amount: moneyText(opening, currency),
    style: {
      size: 9.5,
      bold: true,
    },
  })
  if (movements.length > 0) {
    pdf.y += 8
    const rows = movements.map(({ day, kind, number, reference, amount, balance }) => [
      dayText(day),
      [MOVEMENT_NAMES[kind], number ?? 'Credit', reference].filter(Boolean).join(' · '),
      formatAmount(amount, currency),
      formatAmount(balance, currency),
    ])
    await writeTextTable(pdf, ['Date', 'Movement', `Amount (${currency})`, 'Balance'], rows)
  }
  pdf.y += 10
  ensureRoom(pdf, 40)
  writeAmountLine(pdf, PAGE.left, {
    label: `Closing balance on ${dayText(to)}`,
    amount: moneyText(closing, currency),
    style: {
      size: 11,
      bold: true,
    },
  })
  if (!new Exact(credit).eq(0)) {
    const text = moneyText(new Exact(credit).neg().toFixed(), currency)
    writeAmountLine(pdf, PAGE.left, {
      label: 'Of that, credit not assigned to an invoice',
      amount: text,
      style: { size: 9.5 },
    })
  }
  if (openItems.length === 0) return
  pdf.y += 10
  writeHeading(pdf, 'H2', `Open items on ${dayText(to)}`, 11)
  const rows = openItems.map(({ dueDate, number, issuer, total, balance }) => [
    dayText(dueDate),
    `${number} · ${issuer}`,
    formatAmount(total, currency),
    formatAmount(balance, currency),
  ])
  await writeTextTable(pdf, ['Due', 'Invoice', `Total (${currency})`, 'Open'], rows)
}
