import { describe, expect, it } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { deliver } from '#lib/platform/mail/mailer.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { digestOf } from './digest.ts'
import { messageOf } from './message.ts'
import type { Notice } from './rules.ts'
import type { MailInvoiceRow } from './store.ts'

const TODAY = '2026-10-15'
const BASE_URL = 'https://console.example'
const to = { customerId: newCustomerId('northwind'), recipientId: 'r1' }

const row = (id: string, notices: Notice[], values: Partial<MailInvoiceRow> = {}): MailInvoiceRow => ({
  id,
  number: id,
  notices,
  profile: 'Main',
  platform: 'cloud-platform',
  issuer: 'Reseller',
  isOpen: true,
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-20',
  currency: 'USD',
  totalAmount: '10.00',
  balanceAmount: '10.00',
  payableAmount: null,
  key: id,
  billingProfileId: 'default',
  form: 'invoice',
  attachesPdf: false,
  paymentUrl: null,
  ...values,
})
function message(rows: MailInvoiceRow[], { customer = 'Northwind Ltd', profiles = 1 } = {}) {
  const digest = digestOf(
    { invoices: rows, changes: [], needs: [] },
    { customer, profiles, today: TODAY, baseUrl: BASE_URL },
  )
  if (!digest) throw new Error('There is nothing to tell.')
  return messageOf(digest, to, BASE_URL)
}

describe('what a mail says', () => {
  it('of each day as the console does', () => {
    const pastDue = (dueDate: string) => row(dueDate, ['past-due'], { dueDate })
    const due = (dueDate: string) => row(dueDate, ['due'], { dueDate })
    const { text } = message([
      pastDue('2026-10-14'),
      pastDue('2025-10-15'),
      due('2026-10-15'),
      due('2026-10-16'),
      due('2026-10-22'),
    ])
    for (const expectedText of [
      'was due on 14 Oct 2026, yesterday',
      'was due on 15 Oct 2025, 365 days ago',
      'due on 15 Oct 2026, today',
      'due on 16 Oct 2026, tomorrow',
      'due on 22 Oct 2026, in 7 days',
    ])
      expect(text).toContain(expectedText)
  })

  it.each<[string, Notice, Partial<MailInvoiceRow>]>([
    ['10.00 USD\n', 'new', {}],
    ['4.50 USD to pay of 10.00 USD\n', 'new', { balanceAmount: '4.5' }],
    ['10.00 USD\n', 'new', { balanceAmount: '0', isOpen: false }],
    ['−50.55 USD\n', 'new', { totalAmount: '-50.55', balanceAmount: '-50.55', isOpen: false }],
    ['0.45 PKR to pay\n', 'due', { totalAmount: '0.45', balanceAmount: '0.45', currency: 'PKR' }],
    ['10.01 USD to pay (exactly 10.005 USD)\n', 'due', { totalAmount: '10.005', balanceAmount: '10.005' }],
    ['1,200 JPY to pay\n', 'due', { totalAmount: '1200', balanceAmount: '1200', currency: 'JPY' }],
    ['1.234 KWD to pay\n', 'past-due', { totalAmount: '1.234', balanceAmount: '1.234', currency: 'KWD' }],
    [
      '12,345,678,901,234,567.89 USD to pay\n',
      'due',
      { totalAmount: '12345678901234567.89', balanceAmount: '12345678901234567.89' },
    ],
  ])('the amount %j of what is %s', (expected, notice, values) => {
    expect(message([row('IN-1', [notice], values)]).text).toContain(`* IN-1: ${expected}`)
  })

  it('adds exactly, and never two currencies', () => {
    const cents = Array.from({ length: 30 }, (_, n) => row(`IN-${n}`, ['due'], { balanceAmount: '0.1' }))
    const { text } = message([...cents, row('IN-E', ['due'], { currency: 'EUR', balanceAmount: '0.01' })])
    expect(text).toContain('Due within 7 days: 31 invoices, 0.01 EUR and 3.00 USD\n')
  })

  it('names the billing profile only to who gets several', () => {
    expect(message([row('IN-1', ['new'])]).text).not.toContain('Main')
    expect(message([row('IN-1', ['new'])], { profiles: 2 }).text).toContain('from Reseller, billed to Main')
  })

  it('links to the invoice for any number, and to the lists', () => {
    const rows = Array.from({ length: 12 }, (_, n) => row(`IN ${n}/ü?&#`, ['past-due']))
    const { text, html } = message(rows)
    expect(text).toContain(`${BASE_URL}/invoices/IN%2011%2F%C3%BC%3F%26%23\n`)
    expect(html).toContain(`href="${BASE_URL}/invoices/IN%2011%2F%C3%BC%3F%26%23"`)
    expect(text).toContain(`… and 2 more in the console:\n  ${BASE_URL}/invoices?filter=status:PAST%20DUE\n`)
  })

  it('lets no text of an invoice become markup, a line or another direction', () => {
    const evil = `</li><script src="//x">\r\nBcc: x@y.example\u202e&'`
    const { subject, text, html } = message(
      [row(evil, ['new'], { issuer: evil, platform: evil, profile: evil })],
      {
        customer: evil,
        profiles: 2,
      },
    )
    expect(html).not.toMatch(/<script|\u202e|[^>]\nBcc/)
    expect(html).toContain('&lt;/li&gt;&lt;script src=&quot;//x&quot;&gt; Bcc: x@y.example &amp;&#39;')
    expect(text).not.toMatch(/\u202e|^Bcc/m)
    expect(subject).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  it('loads nothing and runs nothing', () => {
    const { html } = message([row('IN-1', ['past-due']), row('IN-2', ['due']), row('IN-3', ['new'])])
    expect(html).not.toMatch(/<(img|script|link|iframe|form|object)|\bsrc=|url\(|@import|\bon\w+=/i)
    const hosts = [...html.matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host)
    expect(new Set(hosts)).toEqual(new Set(['console.example']))
  })
})

describe('what a mail server gets', () => {
  const config = ({ url }: Catcher) => {
    const { hostname: host, port } = new URL(url)
    const from = { name: 'Büro "A" <x@y>', address: 'billing@reseller.example' }
    return { host, port: Number(port), secure: false, login: undefined, from }
  }

  it('is one mail in UTF-8 with two readings, to one address, with nothing attached', async () => {
    const catcher = await startCatcher()
    try {
      const content = message([row('IN-Ä', ['new'], { issuer: 'Größe & Söhne 株式会社' })], {
        customer: `Ünïted\r\nBcc: victim@other.example`,
      })
      expect(await deliver(config(catcher), 'ap@books.example', content, 'id-1')).toEqual({ kind: 'sent' })
      const [mail, ...more] = catcher.mails
      expect([more, mail?.to]).toEqual([[], ['ap@books.example']])
      expect(mail?.headers.subject).toBe('Ünïted Bcc: victim@other.example: 1 new invoice')
      expect(mail?.headers.bcc).toBeUndefined()
      expect(mail?.headers['message-id']).toBe('<id-1@reseller.example>')
      expect([mail?.text, mail?.html]).toEqual([content.text, content.html])
      expect(mail?.headers['content-type']).toMatch(/^multipart\/alternative;/)
      expect(mail?.raw).not.toMatch(/Content-Disposition/i)
      // Transports may break what is not ASCII, and lines above 998.
      expect(mail?.raw).toMatch(/^[\t\r\n -~]*$/)
      expect(Math.max(...(mail?.raw.split('\r\n') ?? []).map((line) => line.length))).toBeLessThan(998)
    } finally {
      await catcher.close()
    }
  })

  it('is a login where one is given, and no reason tells the password', async () => {
    const seen: string[] = []
    const catcher = await startCatcher({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        seen.push(`${username}:${password}`)
        if (password === 'p:q/secret') done(null, { user: username })
        else done(new Error(`535 not ${password}`))
      },
    })
    try {
      const mail = message([row('IN-1', ['new'])])
      const login = { user: 'a@b', password: 'p:q/secret' }
      expect(await deliver({ ...config(catcher), login }, 'ap@books.example', mail, '1')).toEqual({
        kind: 'sent',
      })
      const wrong = { user: 'a@b', password: 'topsecret' }
      const delivery = await deliver({ ...config(catcher), login: wrong }, 'ap@books.example', mail, '2')
      expect(delivery).toEqual({ kind: 'away', reason: expect.stringContaining('535') })
      expect(JSON.stringify(delivery)).not.toContain('topsecret')
      expect(seen).toEqual(['a@b:p:q/secret', 'a@b:topsecret'])
    } finally {
      await catcher.close()
    }
  })

  it('is nothing where nobody listens', async () => {
    const catcher = await startCatcher()
    await catcher.close()
    const outcome = await deliver(config(catcher), 'ap@books.example', message([row('IN-1', ['new'])]), '1')
    expect(outcome).toEqual({ kind: 'away', reason: expect.stringContaining('ECONNREFUSED') })
  })
})
