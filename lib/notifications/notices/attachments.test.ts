import { describe, expect, it } from 'vitest'
import { storeFile } from '#lib/billing/invoice-files/store.ts'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addProfile } from '#lib/platform/db/test-rows.ts'
import { addRecipient } from './recipients.ts'
import { NOTICES } from './rules.ts'
import { customerId, onStage, stage } from './test-stage.ts'

onStage()

const AP = 'ap@books.example'
const owner = () => ({ customerId: customerId as CustomerId })

async function subscribe(profile = 'default', attachesPdf = true) {
  await stage.add(customerId, AP, { profile })
  const values = { email: AP, profile, kinds: NOTICES, again: false, attachesPdf }
  await scope(owner(), (tx) => addRecipient(tx, owner().customerId, values))
}
/** Stores an issuer's own PDF of this size. */
const store = (invoiceId: string, size: number) =>
  scope(owner(), (tx) =>
    storeFile(tx, owner().customerId, {
      invoiceId,
      kind: 'original-pdf',
      name: `${invoiceId}.pdf`,
      bytes: Buffer.from('%PDF-1.7\n'.padEnd(size, `${invoiceId} `)),
    }),
  )
const namesIn = (raw: string) => [...raw.matchAll(/filename="?([^";\r\n]+)"?/g)].map(([, name]) => name)

describe('a mail about new invoices', () => {
  it('has their PDFs attached, byte for byte, and none of other invoices', async () => {
    await addProfile(customerId, 'emea')
    await subscribe()
    await subscribe('emea', false)
    await stage.invoice(customerId, 'IN-1', 30)
    await store('IN-1', 60)
    await stage.invoice(customerId, 'IN-2', 30)
    await stage.invoice(customerId, 'IN-EMEA', 30, { billingProfileId: 'emea' })
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(namesIn(mail?.raw ?? '').sort()).toEqual(['IN-1.pdf', 'IN-2.pdf'])
    const bytes = Buffer.from('%PDF-1.7\n'.padEnd(60, 'IN-1 ')).toString('base64')
    expect(mail?.raw.replaceAll('\r\n', '')).toContain(bytes)
    expect(mail?.text.match(/PDF attached/g)).toHaveLength(2)
    expect(mail?.html).toContain('PDF attached')
  })

  it('has none in reminders, and none where they are not requested', async () => {
    await subscribe()
    await stage.invoice(customerId, 'IN-1', 5)
    await stage.run()
    expect(namesIn(stage.taken()[0]?.raw ?? '')).toEqual(['IN-1.pdf'])
    await stage.passDays(8)
    expect(await stage.run()).toBe(1)
    expect(namesIn(stage.taken()[0]?.raw ?? '')).toEqual([])
    await subscribe('default', false)
    await stage.invoice(customerId, 'IN-2', 30)
    await stage.passDays(1)
    await stage.run()
    const [mail] = stage.taken()
    expect([namesIn(mail?.raw ?? ''), mail?.text.includes('PDF')]).toEqual([[], false])
  })

  it('omits PDFs above the size limit, and names them', async () => {
    await subscribe()
    for (const [id, size] of [
      ['IN-1', 4_000_000],
      ['IN-2', 4_000_000],
      ['IN-3', 100],
    ] as const) {
      await stage.invoice(customerId, id, 30)
      await store(id, size)
    }
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(namesIn(mail?.raw ?? '')).toHaveLength(2)
    expect(mail?.text.match(/PDF attached/g)).toHaveLength(2)
    expect(mail?.text.match(/PDF not attached/g)).toHaveLength(1)
    expect(mail?.raw.length).toBeLessThan(10_000_000)
  })

  it('leaves without PDFs where the mail server refuses the larger message', async () => {
    await subscribe()
    await stage.invoice(customerId, 'IN-1', 30)
    let count = 0
    stage.fail(AP, { at: 'message', code: 552, text: 'Too large' })
    stage.catcher.hold = async () => {
      count += 1
      if (count === 2) stage.recover()
    }
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect([count, namesIn(mail?.raw ?? '')]).toEqual([2, []])
    expect(mail?.text).toContain('PDF not attached')
  })
})

describe('a mail about an open invoice', () => {
  it('has the link of its issuer to pay it, with the open balance', async () => {
    await stage.add(customerId, AP)
    const paymentUrl = 'https://pay.example/{number}?a={amount}&c={currency}'
    await scope(owner(), (tx) => saveIssuer(tx, owner().customerId, { name: 'Fernhill', paymentUrl }, 'r'))
    await stage.invoice(customerId, 'IN-1', 5, { issuer: 'Fernhill', balanceAmount: '4.00' })
    await stage.invoice(customerId, 'IN-2', 5, { issuer: 'Fernhill', balanceAmount: '0' })
    await stage.invoice(customerId, 'IN-3', 5, { issuer: 'Another', balanceAmount: '4.00' })
    await stage.run()
    const [mail] = stage.taken()
    expect(mail?.text.match(/Pay: \S+/g)).toEqual(['Pay: https://pay.example/IN-1?a=4.00&c=USD'])
    expect(mail?.html).toMatch(/href="https:\/\/pay\.example\/IN-1\?a=4\.00&amp;c=USD"[^>]*>Pay IN-1<\/a>/)
  })
})
