import { isCreditNote } from '#lib/billing/invoices/rules.ts'
import { paymentUrlOf } from '#lib/billing/payment-instructions/payment-url.ts'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { describeNeed } from '#lib/notifications/needs/messages.ts'
import { daysBetween, dayText } from '#lib/platform/values/days.ts'
import { Exact, payableOf } from '#lib/platform/values/decimals.ts'
import { isFiner, moneyText, plainAmount } from '#lib/platform/values/money.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import type { MailChange } from './licenses.ts'
import { type Kind, MAX_NAMED, NOTICE_NAMES, type Notice, type Section, sectionsOf } from './rules.ts'
import type { MailInvoiceRow } from './store.ts'

/** What a mail says, in words, before it is text or HTML. Each text is one line. */
export type Digest = { subject: string; title: string; company: string; parts: Part[] }

/** What is to be told: of invoices, and of licenses that a vendor changed, newest first. */
export type DigestContent = {
  invoices: readonly MailInvoiceRow[]
  changes: readonly MailChange[]
  /** What needs the recipient, the most urgent first. */
  needs: readonly Need[]
}

/** @returns undefined where nothing of it is left to tell */
export function digestOf(
  { invoices: invoiceRows, changes, needs }: DigestContent,
  context: DigestContext,
): Digest | undefined {
  const sections = sectionsOf(invoiceRows)
  if (sections.length + changes.length + needs.length === 0) return undefined
  const customer = oneLine(context.customer)
  const counts = sections.map(({ notice, named, others }) => SHORT[notice](named.length + others.length))
  const licenses = changes.length > 0 ? [licensesPart(changes, context)] : []
  if (changes.length > 0) counts.push(`${licenseChanges(changes.length)} by a vendor`)
  if (needs.length > 0) counts.push(items(needs.length))
  const what = [...(sections.length > 0 ? ['Invoices'] : []), ...(changes.length > 0 ? ['licenses'] : [])]
  return {
    subject: `${customer}: ${counts.join(', ')}`,
    company: customer,
    title:
      what.length > 0
        ? `${what.join(' and ').replace(/^l/, 'L')} of ${customer}`
        : `Needs attention at ${customer}`,
    parts: [
      ...(needs.length > 0 ? [needsPart(needs, context)] : []),
      ...sections.map((section) => partOf(section, context)),
      ...licenses,
    ],
  }
}

const invoices = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'invoice' : 'invoices'}`

const SHORT: Record<Notice, (count: number) => string> = {
  'past-due': (count) => `${invoices(count)} past due`,
  due: (count) => `${invoices(count)} due within 7 days`,
  new: (count) => `${count.toLocaleString('en')} new ${count === 1 ? 'invoice' : 'invoices'}`,
}

const LISTS: Record<Notice, string> = {
  'past-due': '/invoices?filter=status:PAST%20DUE',
  due: '/invoices?filter=status:OPEN&orderBy=dueDate',
  new: '/invoices',
}

const ACTS: Record<Notice, string> = {
  'past-due': 'View past-due invoices',
  due: 'View open invoices',
  new: 'View invoices',
}

function partOf({ notice, named, others }: Section<MailInvoiceRow>, context: DigestContext): Part {
  const sums = sumsOf([...named, ...others], notice)
  return {
    notice,
    heading: `${NOTICE_NAMES[notice]}: ${invoices(named.length + others.length)}, ${sums.join(' and ')}`,
    lines: named.map((row) => ({
      id: oneLine(row.number),
      amount: amountOf(row, notice),
      details: [
        dueText(row, notice, context.today),
        originOf(row, context.profiles),
        ...attachmentText(row, context.attached),
      ],
      href: `${context.baseUrl}/invoices/${encodeURIComponent(row.id)}`,
      payHref: payHrefOf(row),
    })),
    more: others.length > 0 ? `and ${others.length.toLocaleString('en')} more in the console` : undefined,
    href: context.baseUrl + LISTS[notice],
    act: ACTS[notice],
  }
}

/** What can be paid of an invoice: rounded for each invoice, as on the screens. */
function toPay({ payableAmount, balanceAmount, currency }: MailInvoiceRow): string {
  return payableOf(payableAmount ?? balanceAmount, currency)
}

/** Returns the address where an open invoice is paid; undefined where its issuer has none. */
function payHrefOf(row: MailInvoiceRow): string | undefined {
  const { isOpen, form, paymentUrl, number, currency, dueDate } = row
  if (!isOpen || form !== 'invoice' || isCreditNote(row) || paymentUrl === null) return undefined
  return paymentUrlOf(paymentUrl, { number, amount: plainAmount(toPay(row), currency), currency, dueDate })
}

/** Returns a note on the PDF of an invoice whose PDF is wanted. */
function attachmentText({ key, ...row }: MailInvoiceRow, attached: Attached | undefined): string[] {
  if (!isToAttach(row) || attached === undefined) return []
  return attached.has(key) ? ['PDF attached'] : ['PDF not attached: download it from the console']
}

/** Keys of the invoices whose PDFs are attached; undefined while they are not read. */
type Attached = ReadonlySet<string>

/** Returns whether the recipient wants the PDF of an invoice in this mail: it is new. */
function isToAttach({ attachesPdf, notices }: Pick<MailInvoiceRow, 'attachesPdf' | 'notices'>): boolean {
  return attachesPdf && notices.includes('new')
}

/** Returns the named invoices of a mail whose PDFs the recipient wants, in its order. */
export function pdfsToAttach(rows: readonly MailInvoiceRow[]): MailInvoiceRow[] {
  return sectionsOf(rows).flatMap(({ named }) => named.filter(isToAttach))
}

/** Of what is new the totals, of the rest what can be paid: exact, and never two currencies in one sum. */
function sumsOf(rows: readonly MailInvoiceRow[], notice: Notice): string[] {
  const sums = new Map<string, InstanceType<typeof Exact>>()
  for (const row of rows) {
    const { currency, totalAmount } = row
    const amount = notice === 'new' ? totalAmount : toPay(row)
    sums.set(currency, (sums.get(currency) ?? new Exact(0)).plus(amount))
  }
  return [...sums].sort().map(([currency, sum]) => moneyText(sum.toFixed(), currency))
}

function amountOf(row: MailInvoiceRow, notice: Notice): string {
  const { totalAmount, balanceAmount, currency, isOpen } = row
  // What is rounded away is no part that was paid.
  const isWhole = new Exact(payableOf(totalAmount, currency)).eq(toPay(row))
  if (notice === 'new' && (isWhole || !isOpen)) return moneyText(totalAmount, currency)
  const exact = isFiner(balanceAmount, currency) ? ` (exactly ${moneyText(balanceAmount, currency)})` : ''
  const left = `${moneyText(toPay(row), currency)} to pay${exact}`
  return isWhole ? left : `${left} of ${moneyText(totalAmount, currency)}`
}

function dueText({ dueDate, invoiceDate, isOpen }: MailInvoiceRow, notice: Notice, today: string): string {
  const days = daysBetween(today, dueDate)
  if (notice === 'new')
    return `dated ${dayText(invoiceDate)}, ${isOpen ? `due on ${dayText(dueDate)}` : 'nothing to pay'}`
  if (days < 0) return `was due on ${dayText(dueDate)}, ${days === -1 ? 'yesterday' : `${-days} days ago`}`
  const when = ['today', 'tomorrow'][days] ?? `in ${days} days`
  return `due on ${dayText(dueDate)}, ${when}`
}

function originOf({ platform, issuer, profile }: MailInvoiceRow, profiles: number): string {
  const from = `${platformName(oneLine(platform))}, from ${oneLine(issuer)}`
  return profiles > 1 ? `${from}, billed to ${oneLine(profile)}` : from
}

export type Part = {
  notice: Kind
  /** `Past due: 12 invoices, 1,204.50 USD and 80.00 EUR`. */
  heading: string
  lines: {
    id: string
    amount: string
    details: string[]
    href: string
    /** Label of the link, if it is not the name. */
    act?: string
    /** Address where it is paid. */
    payHref?: string | undefined
  }[]
  /** How many are not named, and where they are. */
  more: string | undefined
  /** The console's list of them, and the label of its button. */
  href: string
  act: string
}

type DigestContext = {
  customer: string
  profiles: number
  today: string
  baseUrl: string
  attached?: Attached
}

/** `3 license changes`. */
const licenseChanges = (count: number) =>
  `${count.toLocaleString('en')} license ${count === 1 ? 'change' : 'changes'}`

/** `3 items need attention`. */
const items = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'item needs' : 'items need'} attention`

/** What needs the recipient, as the console's first page has it. */
function needsPart(needs: readonly Need[], { baseUrl }: DigestContext): Part {
  const others = needs.length - MAX_NAMED
  return {
    notice: 'needs',
    heading: `Needs attention: ${needs.length.toLocaleString('en')}`,
    lines: needs.slice(0, MAX_NAMED).map((need) => {
      const { title, headline, details, act, path } = describeNeed(need)
      const [id, amount] = [oneLine(title), oneLine(headline)]
      return { id, amount, details: details.map(oneLine), act, href: baseUrl + path }
    }),
    more: others > 0 ? `and ${others.toLocaleString('en')} more in the console` : undefined,
    href: `${baseUrl}/`,
    act: 'Review what needs attention',
  }
}

/** The totals that vendors changed, newest first. */
function licensesPart(changes: readonly MailChange[], { baseUrl }: DigestContext): Part {
  const others = changes.length - MAX_NAMED
  return {
    notice: 'licenses',
    heading: `${NOTICE_NAMES.licenses}: ${changes.length.toLocaleString('en')}`,
    lines: changes.slice(0, MAX_NAMED).map(({ assetId, assetName, from, to, reason, vendor, at }) => ({
      id: oneLine(assetName),
      amount: `${from.toLocaleString('en')} → ${to.toLocaleString('en')} licenses`,
      details: [
        ...(reason === null ? [] : [oneLine(reason)]),
        `at ${oneLine(vendor)}, seen on ${dayText(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`,
      ],
      href: `${baseUrl}/assets/${encodeURIComponent(assetId)}`,
    })),
    more: others > 0 ? `and ${others.toLocaleString('en')} more in the console` : undefined,
    href: `${baseUrl}/activity?filter=state:DRIFT`,
    act: 'View license changes',
  }
}

/** Without line ends, and without the marks that turn the order of what is read. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}
