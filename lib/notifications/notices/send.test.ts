import { describe, expect, it, vi } from 'vitest'
import { scope } from '#lib/platform/db/scope.ts'
import { addCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { BASE_URL, day } from '../../../test/fakes/mail/stage.ts'
import { customerId, onStage, stage } from './test-stage.ts'

onStage()

const subjects = () => stage.taken().map(({ to, headers }) => [to.join(), headers.subject])
const states = () =>
  stage.database.sql(customerId, 'SELECT state, attempts, reason FROM notice_mails ORDER BY told_on')

describe('a run', () => {
  it('sends one mail to each address, with all that is new for it', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.add(customerId, 'boss@books.example')
    await stage.invoice(customerId, 'IN-LATE', -3, { balanceAmount: '4.00' })
    await stage.invoice(customerId, 'IN-DUE', 2, {
      currency: 'JPY',
      totalAmount: '1200',
      balanceAmount: '1200',
    })
    await stage.invoice(customerId, 'IN-NEW', 30)
    expect(await stage.run()).toBe(2)
    const [first, second, ...rest] = stage.taken()
    expect(rest).toEqual([])
    expect([first?.to, second?.to]).toEqual([['ap@books.example'], ['boss@books.example']])
    const subject = `${customerId}: 1 invoice past due, 1 invoice due within 7 days, 1 new invoice`
    expect(first?.headers).toMatchObject({
      subject,
      from: 'Büro <billing@reseller.example>',
      to: 'ap@books.example',
    })
    expect(first?.from).toBe('billing@reseller.example')
    for (const expectedText of [
      'Past due: 1 invoice, 4.00 USD',
      '* IN-LATE: 4.00 USD to pay of 10.00 USD',
      '3 days ago',
      '* IN-DUE: 1,200 JPY to pay',
      'in 2 days',
      '* IN-NEW: 10.00 USD',
      `${BASE_URL}/invoices/IN-LATE`,
    ])
      expect(first?.text).toContain(expectedText)
    expect(first?.html.replaceAll(/ (class|style)="[^"]*"/g, '')).toContain(
      `<a href="${BASE_URL}/invoices/IN-DUE">IN-DUE</a>: <b>1,200 JPY to pay</b>`,
    )
    expect(await states()).toEqual(Array(2).fill({ state: 'SENT', attempts: 1, reason: null }))
  })

  it('tells nothing twice, and news of the same day on the next one', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-1', 30)
    expect(await stage.run()).toBe(1)
    await stage.invoice(customerId, 'IN-2', 30)
    expect(await stage.run()).toBe(0)
    stage.taken()
    await stage.passDays(1)
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(mail?.text).toContain('IN-2')
    expect(mail?.text).not.toContain('IN-1')
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
  })

  it('reminds of what is past due after a week, with all that is, and not of what was paid', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-1', -1)
    await stage.invoice(customerId, 'IN-PAID', -1)
    await stage.invoice(customerId, 'IN-2', 3)
    await stage.run()
    expect(subjects()).toEqual([
      ['ap@books.example', `${customerId}: 2 invoices past due, 1 invoice due within 7 days`],
    ])
    await stage.database.sql(customerId, "UPDATE invoices SET balance_amount = 0 WHERE id = 'IN-PAID'")
    const seen: [number, string | undefined][] = []
    for (let past = 1; past <= 21; past++) {
      await stage.passDays(1)
      await stage.run()
      seen.push(...stage.taken().map(({ headers }): [number, string | undefined] => [past, headers.subject]))
    }
    // IN-2 becomes past due on the fourth day; IN-1 is reported with it, and both again each week.
    expect(seen).toEqual([4, 11, 18].map((past) => [past, `${customerId}: 2 invoices past due`]))
  })

  it('reminds of what can be paid: nothing below half a minor unit, and less what credit notes set off', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-LEAST', -1, { balanceAmount: '0.004' })
    await stage.invoice(customerId, 'IN-HALF', -1, { totalAmount: '10.005', balanceAmount: '10.005' })
    await stage.invoice(customerId, 'IN-CREDITED', -1, { totalAmount: '100', balanceAmount: '100' })
    await stage.invoice(customerId, 'IN-SETTLED', -1)
    const credit = { totalAmount: '-30', balanceAmount: '-30' }
    await stage.invoice(customerId, 'CN-1', 30, { ...credit, corrects: 'IN-CREDITED' })
    await stage.invoice(customerId, 'CN-2', 30, { ...credit, corrects: 'IN-SETTLED' })
    await stage.run()
    const [mail] = stage.taken()
    // Each is rounded, and their sum is one of rounded amounts, as on the screens.
    expect(mail?.text).toContain('Past due: 2 invoices, 80.01 USD')
    expect(mail?.text).toContain('* IN-CREDITED: 70.00 USD to pay of 100.00 USD')
    expect(mail?.text).toContain('* IN-HALF: 10.01 USD to pay (exactly 10.005 USD)')
    expect(mail?.text).not.toMatch(/IN-(LEAST|SETTLED): .* to pay/)
  })

  it('sends one mail after a big import, which names the newest and counts the others', async () => {
    await stage.add(customerId, 'ap@books.example')
    for (let n = 1; n <= 40; n++) {
      const values = {
        invoiceDate: `2026-01-${String((n % 28) + 1).padStart(2, '0')}`,
        currency: n % 2 ? 'USD' : 'EUR',
      }
      await stage.invoice(customerId, `IN-${n}`, 400, values)
    }
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(mail?.text).toContain('New invoices: 40 invoices, 200.00 EUR and 200.00 USD')
    expect(mail?.text).toContain(`and 30 more in the console:\n  ${BASE_URL}/invoices`)
    expect(mail?.text.match(/^\* IN-/gm)).toHaveLength(10)
    expect(mail?.text).toMatch(/\* IN-27: /)
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
  })

  it('does not tell as news what was there before the address', async () => {
    await stage.invoice(customerId, 'IN-OLD', 30)
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-NEW', 30)
    await stage.run()
    const [mail] = stage.taken()
    expect(mail?.text).toContain('IN-NEW')
    expect(mail?.text).not.toContain('IN-OLD')
  })

  it('tells just the kinds that are set, and later ones from then on', async () => {
    await stage.add(customerId, 'ap@books.example', { kinds: ['due'] })
    await stage.invoice(customerId, 'IN-1', 3)
    await stage.invoice(customerId, 'IN-2', 30)
    await stage.run()
    expect(subjects()).toEqual([['ap@books.example', `${customerId}: 1 invoice due within 7 days`]])
    await stage.passDays(1)
    await stage.add(customerId, 'AP@books.example', { kinds: ['due', 'new'] })
    await stage.invoice(customerId, 'IN-3', 30)
    await stage.run()
    expect(subjects()).toEqual([['ap@books.example', `${customerId}: 1 new invoice`]])
  })
})

it('is silent without a mail server', async () => {
  await stage.add(customerId, 'ap@books.example')
  await stage.invoice(customerId, 'IN-1', 3)
  vi.stubEnv('SMTP_URL', '')
  vi.stubEnv('MAIL_FROM', '')
  const before = stage.catcher.connections
  expect(await stage.run()).toBe(0)
  expect([stage.catcher.connections, await states()]).toEqual([before, []])
  vi.stubEnv('SMTP_URL', stage.catcher.url)
  vi.stubEnv('MAIL_FROM', 'Büro <billing@reseller.example>')
  expect(await stage.run()).toBe(1)
})

describe('who is told', () => {
  it('is told of their own billing profiles only, and of several in one mail', async () => {
    await addProfile(customerId, 'emea')
    await stage.add(customerId, 'both@books.example')
    await stage.add(customerId, 'both@books.example', { profile: 'emea', kinds: ['past-due'] })
    await stage.add(customerId, 'emea@books.example', { profile: 'emea' })
    await stage.invoice(customerId, 'IN-DEFAULT', 3)
    await stage.invoice(customerId, 'IN-EMEA', 3, { billingProfileId: 'emea' })
    await stage.invoice(customerId, 'IN-EMEA-LATE', -3, { billingProfileId: 'emea' })
    expect(await stage.run()).toBe(2)
    const [both, emea] = stage.taken()
    const idsIn = (text = '') => [...text.matchAll(/^\* (\S+):/gm)].map(([, id]) => id)
    expect(idsIn(both?.text)).toEqual(['IN-EMEA-LATE', 'IN-DEFAULT'])
    expect(both?.text).toContain('billed to emea')
    expect(idsIn(emea?.text)).toEqual(['IN-EMEA-LATE', 'IN-EMEA'])
    expect(`${emea?.raw}`).not.toContain('DEFAULT')
  })

  it('gets a mail for each customer, and neither mail knows of the other', async () => {
    const other = `${customerId}-other`
    await addCustomer(other)
    for (const id of [customerId, other]) {
      await stage.add(id, 'ap@books.example')
      await stage.invoice(id, `IN-OF-${id}-END`, 3)
    }
    expect(await stage.run()).toBe(2)
    const texts = stage.taken().map(({ text, html, headers }) => `${headers.subject}${text}${html}`)
    expect(texts.filter((text) => text.includes(`IN-OF-${customerId}-END`))).toHaveLength(1)
    expect(texts.filter((text) => text.includes(`IN-OF-${other}-END`))).toHaveLength(1)
    expect(texts.some((text) => text.includes(`${customerId}-END`) && text.includes(`${other}-END`))).toBe(
      false,
    )
  })

  it('is not told any more of a profile that an invoice has left', async () => {
    await addProfile(customerId, 'emea')
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-1', 30)
    await stage.database.sql(customerId, "UPDATE invoices SET billing_profile_id = 'emea'")
    expect(await stage.run()).toBe(0)
  })

  it('is hidden from another customer, and from callers without a scope', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-1', 3)
    await stage.run()
    await addCustomer(`${customerId}-eve`)
    const eve = await callerOf(`${customerId}-eve`, 'admin')
    for (const table of ['notice_recipients', 'notice_subscriptions', 'notice_mails', 'notices']) {
      const seen = await scope(eve, (tx) => tx.execute(`SELECT count(*)::int AS n FROM ${table}`))
      expect(seen.rows).toEqual([{ n: 0 }])
    }
  })
})

it('writes what was told for good: it can be neither changed nor taken away', async () => {
  await stage.add(customerId, 'ap@books.example')
  await stage.invoice(customerId, 'IN-1', 3)
  await stage.run()
  await expect(stage.database.sql(customerId, `UPDATE notices SET told_on = '${day(-9)}'`)).rejects.toThrow(
    'permission denied',
  )
  await expect(stage.database.sql(customerId, 'DELETE FROM notices')).rejects.toThrow('permission denied')
  await stage.database.sql(customerId, "UPDATE notice_mails SET state = 'SENDING'")
  await stage.database.sql(customerId, 'DELETE FROM notice_mails')
  expect(await states()).toEqual([{ state: 'SENT', attempts: 1, reason: null }])
})

describe('of what is no debt', () => {
  it('a mail has nothing: no draft, nothing voided, nothing that was imported for the record', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'DRAFT', 2, { documentState: 'draft', balanceAmount: '0' })
    await stage.invoice(customerId, 'VOIDED', -2, { documentState: 'voided', balanceAmount: '0' })
    await stage.invoice(customerId, 'OLD', -2, { isHistory: true })
    await stage.invoice(customerId, 'OLD-DUE', 2, { isHistory: true })
    expect(await stage.run()).toBe(0)
  })

  it('a draft that is issued is new then', async () => {
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'DRAFT', 90, {
      documentState: 'draft',
      balanceAmount: '0',
      number: 'FC-7',
    })
    expect(await stage.run()).toBe(0)
    await stage.passDays(40)
    await stage.invoice(customerId, 'IN-1', 30)
    expect(await stage.run()).toBe(1)
    stage.taken()
    await stage.passDays(1)
    // As an import issues it.
    await stage.database.sql(
      customerId,
      "UPDATE invoices SET document_state = 'issued', balance_amount = 10, created_at = now() WHERE id = 'DRAFT'",
    )
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(mail?.headers.subject).toContain('1 new invoice')
    // By the number that its issuer gave it, and its own address.
    expect(mail?.text).toContain('* FC-7: 10.00 USD')
    expect(mail?.text).toContain(`${BASE_URL}/invoices/DRAFT`)
    expect(mail?.text).not.toContain('IN-1')
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
  })
})
