import 'server-only'
import { createHash } from 'node:crypto'
import { writeAmountLine, writeHeading } from '#lib/platform/pdf/block.ts'
import { ensureRoom, finishPdf, openPdf, PAGE, type PdfDocument } from '#lib/platform/pdf/document.ts'
import { writeTextTable } from '#lib/platform/pdf/table.ts'
import { daysText, dayText, epochOfDay } from '#lib/platform/values/days.ts'
import { formatAmount, moneyText } from '#lib/platform/values/money.ts'
import { AGE_NAMES, type Age } from './rules.ts'

/** Open items of one currency; amounts are exact decimal text. */
export type StatementSection = {
  currency: string
  ages: { age: Age; amount: string }[]
  balance: string
  items: {
    dueDate: string | null
    number: string
    issuer: string
    profile: string
    daysPastDue: number
    total: string
    balance: string
  }[]
  /** Credit that settles no invoice; undefined where there is none. */
  credit?: string | undefined
}

/** A statement as it is printed. */
export type StatementDocument = {
  today: string
  /** Names of the billing profiles with open items. */
  profiles: readonly string[]
  sections: readonly StatementSection[]
}

const SMALL = { size: 9.5 }

/** Renders a statement as a PDF: for each currency the open amounts by age, and each open item. */
export async function renderStatementPdf(document: StatementDocument): Promise<Uint8Array> {
  const { today, profiles, sections } = document
  const day = `Open balance as of ${dayText(today)}`
  const title = `Statement, ${dayText(today)}`
  const id = createHash('sha256').update(JSON.stringify(document)).digest().subarray(0, 16)
  const pdf = openPdf({ title, author: 'Licenses & Invoices', date: new Date(epochOfDay(today)), id })
  writeHeading(pdf, 'H1', 'Statement', 22)
  pdf.y += 8
  for (const label of [day, ...profiles]) writeAmountLine(pdf, PAGE.left, { label, amount: '', style: SMALL })
  if (sections.length === 0)
    writeAmountLine(pdf, PAGE.left, { label: 'Nothing is open.', amount: '', style: SMALL })
  for (const section of sections) await renderSection(pdf, section, profiles.length > 1)
  return finishPdf(pdf, title)
}

async function renderSection(
  pdf: PdfDocument,
  { currency, ages, balance, items, credit }: StatementSection,
  namesProfile: boolean,
): Promise<void> {
  pdf.y += 14
  writeHeading(pdf, 'H2', currency, 14)
  const sum = (label: string, amount: string, style: { size: number; bold?: boolean } = SMALL) =>
    writeAmountLine(pdf, PAGE.left, { label, amount: moneyText(amount, currency), style })
  ensureRoom(pdf, ages.length * 17 + 40)
  for (const { age, amount } of ages) sum(AGE_NAMES[age], amount)
  sum('Balance', balance, { size: 11, bold: true })
  if (credit) sum('Credit not assigned to an invoice', credit)
  if (items.length === 0) return
  pdf.y += 8
  const rows = items.map((item) => [
    item.dueDate ? dayText(item.dueDate) : '',
    [item.number, item.issuer, ...(namesProfile ? [item.profile] : [])].join(' · '),
    item.daysPastDue > 0 ? daysText(item.daysPastDue) : '',
    formatAmount(item.total, currency),
    formatAmount(item.balance, currency),
  ])
  await writeTextTable(pdf, ['Due', 'Invoice', 'Past due', `Total (${currency})`, 'Open'], rows)
}
