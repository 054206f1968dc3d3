import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays } from '#lib/platform/values/days.ts'
import {
  type Candidate,
  MAX_NAMED,
  type MailInvoice,
  NOTICES,
  type Notice,
  noticesOf,
  sectionsOf,
} from './rules.ts'

const TODAY = '2026-10-15'
const day = (offset: number) => addDays(TODAY, offset)
const noticesFor = (values: Partial<Candidate>, lastReminder?: string) =>
  noticesOf(
    {
      dueDate: day(30),
      isOpen: true,
      isNew: false,
      isHistory: false,
      wanted: NOTICES,
      toldOn: {},
      ...values,
    },
    TODAY,
    lastReminder,
  )

describe('noticesOf', () => {
  it.each<[string, Partial<Candidate>, Notice[]]>([
    ['nothing far from the due date', {}, []],
    ['new for a new invoice', { isNew: true }, ['new']],
    ['new for a paid invoice as well', { isNew: true, isOpen: false, dueDate: day(-9) }, ['new']],
    ['new only once', { isNew: true, toldOn: { new: day(-400) } }, []],
    ['nothing eight days before', { dueDate: day(8) }, []],
    ['due from seven days before', { dueDate: day(7) }, ['due']],
    ['due on the day itself', { dueDate: day(0) }, ['due']],
    ['due only once', { dueDate: day(0), toldOn: { due: day(-7) } }, []],
    ['nothing for a paid invoice', { dueDate: day(3), isOpen: false }, []],
    ['past due from the day after', { dueDate: day(-1), toldOn: { due: day(-8) } }, ['past-due']],
    ['no past due for a paid invoice', { dueDate: day(-1), isOpen: false }, []],
    ['no reminder six days later', { dueDate: day(-9), toldOn: { 'past-due': day(-6) } }, []],
    ['a reminder seven days later', { dueDate: day(-9), toldOn: { 'past-due': day(-7) } }, ['past-due']],
    ['all kinds that apply', { isNew: true, dueDate: day(2) }, ['due', 'new']],
    ['nothing for an invoice imported for the record', { isHistory: true, dueDate: day(-1) }, []],
    ['only subscribed kinds', { isNew: true, dueDate: day(2), wanted: ['new', 'past-due'] }, ['new']],
    ['nothing without a subscription', { isNew: true, dueDate: day(-2), wanted: [] }, []],
  ])('returns %s', (_, values, expected) => {
    expect(noticesFor(values)).toEqual(expected)
  })

  it('delays a reminder within a week of the last one, but not an invoice that has just become past due', () => {
    const reminded = { dueDate: day(-20), toldOn: { 'past-due': day(-9) } }
    expect(noticesFor(reminded, day(-6))).toEqual([])
    expect(noticesFor(reminded, day(-7))).toEqual(['past-due'])
    expect(noticesFor({ dueDate: day(-1) }, day(-1))).toEqual(['past-due'])
  })

  it('returns each kind of notice about an invoice once in a year of days, and past due at most weekly', () => {
    const run = (due: number, paidOn: number) => {
      const toldOn: Candidate['toldOn'] = {}
      const days: Record<Notice, number[]> = { new: [], due: [], 'past-due': [] }
      for (let now = 0; now < 365; now++) {
        const today = addDays('2026-01-01', now)
        const candidate = {
          dueDate: addDays('2026-01-01', due),
          isOpen: now < paidOn,
          isNew: true,
          isHistory: false,
          wanted: NOTICES,
          toldOn,
        }
        for (const notice of noticesOf(candidate, today)) {
          toldOn[notice] = today
          days[notice].push(now)
        }
      }
      return days
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 365 }), (due, paidOn) => {
        const days = run(due, paidOn)
        expect(days.new).toEqual([0])
        const daysUntilDue = Math.max(0, due - 7)
        expect(days.due).toEqual(daysUntilDue < paidOn ? [daysUntilDue] : [])
        expect(days['past-due']).toEqual(
          Array.from({ length: 60 }, (_, week) => due + 1 + week * 7).filter((at) => at < paidOn && at < 365),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('sectionsOf', () => {
  const invoice = (id: string, notices: Notice[], values: Partial<MailInvoice> = {}): MailInvoice => ({
    id,
    invoiceDate: day(0),
    dueDate: day(5),
    isOpen: true,
    notices,
    ...values,
  })
  const summary = (list: MailInvoice[]) =>
    sectionsOf(list).map(({ notice, named, others }) => [notice, named.map(({ id }) => id), others.length])

  it('lists each invoice once under its most urgent kind, most urgent kind first', () => {
    const list = [invoice('a', ['new']), invoice('b', ['due', 'new']), invoice('c', ['past-due', 'new'])]
    expect(summary(list)).toEqual([
      ['past-due', ['c'], 0],
      ['due', ['b'], 0],
      ['new', ['a'], 0],
    ])
  })

  it('omits the due date of an invoice that was paid since', () => {
    const paid = { isOpen: false }
    expect(summary([invoice('a', ['due'], paid), invoice('b', ['past-due', 'new'], paid)])).toEqual([
      ['new', ['b'], 0],
    ])
    expect(sectionsOf([invoice('a', ['past-due'], paid)])).toEqual([])
  })

  it('lists the newest invoices, or those due soonest, and counts the others', () => {
    const many = (notice: Notice) =>
      Array.from({ length: MAX_NAMED + 2 }, (_, at) =>
        invoice(`${notice}-${at}`, [notice], { invoiceDate: day(at), dueDate: day(at) }),
      )
    const first = Object.fromEntries(
      sectionsOf([...many('new'), ...many('due'), ...many('past-due')]).map(({ notice, named, others }) => {
        expect([named.length, others.length]).toEqual([MAX_NAMED, 2])
        return [notice, named[0]?.id]
      }),
    )
    expect(first).toEqual({ new: 'new-11', due: 'due-0', 'past-due': 'past-due-11' })
  })
})
