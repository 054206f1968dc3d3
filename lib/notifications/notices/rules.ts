import { addDays, epochOfDay } from '#lib/platform/values/days.ts'

/** What an address can be told of an invoice, the most urgent first. */
export const NOTICES = ['past-due', 'due', 'new'] as const
export type Notice = (typeof NOTICES)[number]

/** What operators have an address told of: `licenses` are totals that a vendor changed by itself. */
export const OPERATED = [...NOTICES, 'licenses'] as const
export type Operated = (typeof OPERATED)[number]

/** All that an address can be told of: `needs` is what needs its member, who alone has asked for it. */
export const KINDS = [...OPERATED, 'needs'] as const
export type Kind = (typeof KINDS)[number]

export const NOTICE_NAMES: Record<Kind, string> = {
  'past-due': 'Past due',
  due: 'Due within 7 days',
  new: 'New invoices',
  licenses: 'Licenses changed by a vendor',
  needs: 'What needs you, once a week',
}

/** Whether text names a kind of notice. */
export function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text)
}

/** Whether text names a kind of notice that an operator sets. */
export function isOperated(text: string): text is Operated {
  return (OPERATED as readonly string[]).includes(text)
}

/**
 * Whether what needs a member is to be told: once in each week that begins with a Monday of UTC, and first in the one after
 * they asked for it.
 * @param lastOn the day on which it was told last
 */
export function isWeekly({ today, since, lastOn }: { today: string; since: string; lastOn: string | null }) {
  const monday = addDays(today, -((new Date(epochOfDay(today)).getUTCDay() + 6) % 7))
  return since < monday && (lastOn === null || lastOn < monday)
}

/** What the holder of a link in a mail may see and change: the notices to that mail's address, and nothing else. */
export type NoticeSubscription = {
  email: string
  customer: string
  /** What the link is about. */
  notice: Kind | 'all'
  /** The notices that the operator has set for the address, and whether it gets them. */
  notices: { notice: Kind; isOn: boolean }[]
}

/** How long before its due date an invoice is told of, in days. */
export const DUE_WITHIN = 7
/** What is past due is told again after so many days, and no reminder follows another one sooner. */
const REMIND_AFTER = 7
/** Of each kind, so many invoices are named in a mail; of the others it says how many they are. */
export const MAX_NAMED = 10

/** An invoice as an address may be told of it. Days are `YYYY-MM-DD`, of UTC. */
export type Candidate = {
  dueDate: string
  /** Whether something is left to pay. */
  isOpen: boolean
  /** Whether it arrived since the address gets notices of its billing profile. */
  isNew: boolean
  /** What the address gets of its billing profile and has not stopped. */
  wanted: readonly Notice[]
  /** When it was told last, by kind. */
  toldOn: Partial<Record<Notice, string | null>>
}

/**
 * What is to be told of an invoice today: that it is new, once; that it is due, once; that it is past due when it
 * becomes so, and again as a reminder.
 * @param lastReminder when the address got one about any invoice: several invoices share one rhythm
 */
export function noticesOf(
  { dueDate, isOpen, isNew, wanted, toldOn }: Candidate,
  today: string,
  lastReminder?: string | null,
): Notice[] {
  const before = addDays(today, -REMIND_AFTER)
  const lastPastDue = toldOn['past-due']
  const mayRemind = !lastReminder || lastReminder <= before
  const holds: Record<Notice, boolean> = {
    'past-due': isOpen && dueDate < today && (!lastPastDue || (mayRemind && lastPastDue <= before)),
    due: isOpen && dueDate >= today && dueDate <= addDays(today, DUE_WITHIN) && !toldOn.due,
    new: isNew && !toldOn.new,
  }
  return NOTICES.filter((notice) => holds[notice] && wanted.includes(notice))
}

/** What a mail tells of one invoice, and how the invoice stands now. */
export type MailInvoice = {
  id: string
  invoiceDate: string
  dueDate: string
  isOpen: boolean
  notices: readonly Notice[]
}

export type Section<T> = { notice: Notice; named: T[]; others: T[] }

/**
 * What a mail says: each invoice once, where it is most urgent. What was paid since it was to be told is no longer
 * due. Named are the newest; of what is due, the soonest.
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
