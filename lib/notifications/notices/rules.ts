import { addDays, epochOfDay } from '#lib/platform/values/days.ts'

/** Notices about an invoice, most urgent first. */
export const NOTICES = ['past-due', 'due', 'new'] as const
export type Notice = (typeof NOTICES)[number]

/** Notices that operators set for an address: `licenses` reports totals that a vendor changed by itself. */
export const OPERATED = [...NOTICES, 'licenses'] as const
export type Operated = (typeof OPERATED)[number]

/** All notices to an address: `needs` reports a member's needs and is set by the member only. */
export const KINDS = [...OPERATED, 'needs'] as const
export type Kind = (typeof KINDS)[number]

export const NOTICE_NAMES: Record<Kind, string> = {
  'past-due': 'Past due',
  due: 'Due within 7 days',
  new: 'New invoices',
  licenses: 'Licenses changed by a vendor',
  needs: 'Needs attention, once a week',
}

/** Returns whether text is a kind of notice. */
export function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text)
}

/** Returns whether text is a kind of notice that an operator sets. */
export function isOperated(text: string): text is Operated {
  return (OPERATED as readonly string[]).includes(text)
}

/**
 * Returns whether a member's weekly mail is due: once per week from Monday 00:00 UTC, first in the week after the
 * subscription.
 * @param lastOn day of the last mail
 */
export function isWeekly({ today, since, lastOn }: { today: string; since: string; lastOn: string | null }) {
  const monday = addDays(today, -((new Date(epochOfDay(today)).getUTCDay() + 6) % 7))
  return since < monday && (lastOn === null || lastOn < monday)
}

/** Notices that the holder of a mail's link may see and change: those to the mail's address only. */
export type NoticeSubscription = {
  email: string
  customer: string
  /** Notice that the link stops. */
  notice: Kind | 'all'
  /** The notices that the operator has set for the address, and whether it gets them. */
  notices: { notice: Kind; isOn: boolean }[]
}

/** Days before the due date from which an invoice is reported. */
export const DUE_WITHIN = 7
/** Days after which a past due invoice is reported again, and the least days from a reminder to a mail that only reminds. */
const REMIND_AFTER = 7
/** Most invoices listed in a mail per kind; the mail counts the others. */
export const MAX_NAMED = 10

/** Invoice that an address may be notified of. Days are `YYYY-MM-DD` in UTC. */
export type Candidate = {
  dueDate: string
  /** Whether an amount is left to pay. */
  isOpen: boolean
  /** Whether the invoice arrived since the address's subscription to its billing profile. */
  isNew: boolean
  /** Whether the invoice was imported for the record: it causes no mail. */
  isHistory: boolean
  /** Notices that the address gets about the billing profile and has not stopped. */
  wanted: readonly Notice[]
  /** Day of the last notice, by kind. */
  toldOn: Partial<Record<Notice, string | null>>
}

/**
 * Returns today's notices about an invoice: new, once; due, once; past due, first when it becomes past due and then as
 * a reminder. A mail about one past-due invoice also names all others, which reminds of them.
 * @param lastReminder day of the address's last reminder about any invoice: invoices share one interval
 */
export function noticesOf(candidate: Candidate, today: string, lastReminder?: string | null): Notice[] {
  const { dueDate, isOpen, isNew, isHistory, wanted } = candidate
  const before = addDays(today, -REMIND_AFTER)
  const lastPastDue = candidate.toldOn['past-due']
  const mayRemind = !lastReminder || lastReminder <= before
  const holds: Record<Notice, boolean> = {
    'past-due': isPastDue(candidate, today) && (!lastPastDue || (mayRemind && lastPastDue <= before)),
    due: isOpen && dueDate >= today && dueDate <= addDays(today, DUE_WITHIN) && !candidate.toldOn.due,
    new: isNew && !candidate.toldOn.new,
  }
  return NOTICES.filter((notice) => holds[notice] && wanted.includes(notice) && !isHistory)
}

/**
 * Returns the notices to record for today's mail. One past-due notice adds the past-due invoices that no mail has named
 * yet, which were imported for the record: their import must not be undone after the mail.
 */
export function noticesOfAll<T extends Candidate>(
  candidates: readonly T[],
  today: string,
  lastReminder?: string | null,
): { candidate: T; kind: Notice }[] {
  const due = candidates.map((candidate) => ({ candidate, kinds: noticesOf(candidate, today, lastReminder) }))
  const reportsPastDue = due.some(({ kinds }) => kinds.includes('past-due'))
  return due.flatMap(({ candidate, kinds }) => {
    const isUnnamed = !candidate.toldOn['past-due'] && candidate.wanted.includes('past-due')
    const all =
      reportsPastDue && isUnnamed && isPastDue(candidate, today)
        ? new Set<Notice>(['past-due', ...kinds])
        : kinds
    return [...all].map((kind) => ({ candidate, kind }))
  })
}

export function isPastDue({ isOpen, dueDate }: Candidate, today: string): boolean {
  return isOpen && dueDate < today
}

/** Invoice in a mail, with its present state. */
export type MailInvoice = {
  id: string
  invoiceDate: string
  dueDate: string
  isOpen: boolean
  notices: readonly Notice[]
}

export type Section<T> = { notice: Notice; named: T[]; others: T[] }

/**
 * Returns the sections of a mail: each invoice once, under its most urgent kind. Invoices paid since the claim are no
 * longer due. Lists the newest invoices; of due ones, those due soonest.
 */
export function sectionsOf<T extends MailInvoice>(invoices: readonly T[]): Section<T>[] {
  return NOTICES.flatMap((notice) => {
    const section = invoices.filter((invoice) => sectionOf(invoice) === notice).sort(ORDER[notice])
    return section.length > 0
      ? [{ notice, named: section.slice(0, MAX_NAMED), others: section.slice(MAX_NAMED) }]
      : []
  })
}

function sectionOf({ isOpen, notices }: MailInvoice): Notice | undefined {
  return NOTICES.find((notice) => notices.includes(notice) && (isOpen || notice === 'new'))
}

type Comparator = (a: MailInvoice, b: MailInvoice) => number
const by = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const soonest: Comparator = (a, b) => by(a.dueDate, b.dueDate) || by(a.id, b.id)

const ORDER: Record<Notice, Comparator> = {
  'past-due': (a, b) => soonest(b, a),
  due: soonest,
  new: (a, b) => by(b.invoiceDate, a.invoiceDate) || by(b.id, a.id),
}
