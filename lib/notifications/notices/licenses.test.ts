import { expect, it } from 'vitest'
import { readNoticeLink } from '#lib/identity/access/notice-link.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { addAsset, addMember } from '#lib/platform/db/test-rows.ts'
import { BASE_URL } from '../../../test/fakes/mail/stage.ts'
import { customerId, onStage, stage } from './test-stage.ts'
import { changeNoticeSubscription, readNoticeSubscription } from './unsubscribe.ts'

onStage(async () => {
  await addAsset(customerId, 'workspace-suite-1', { purchased: 25, assigned: 1 }, { name: 'Business\nPlus' })
  await member(`ana@${customerId}.example`, ['it-manager'])
  await stage.addForLicenses(customerId, `Ana@${customerId}.example`)
})

const member = (email: string, roles: Role[], more = {}) => addMember(customerId, { email, roles, ...more })
let changes = 0
/** Adds a change of the asset by its vendor, or one of ours. */
async function change(from: number, to: number, state = 'DRIFT') {
  changes += 1
  await stage.database.sql(
    customerId,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, settled_at)
     VALUES ($1, $2, 'workspace-suite-1', $3, $4, $5, 'vendor', 'google-workspace', 'Google Workspace', 'r', now())`,
    [customerId, `change-${changes}`, from, to, state],
  )
}
const mails = () =>
  stage.taken().map(({ to, headers, text }) => ({ to: to.join(), subject: headers.subject, text }))

it("The mail reports vendors' changes to a license manager once, in one mail a day", async () => {
  await change(20, 25)
  await change(25, 26, 'APPLIED')
  await change(26, 24)
  expect(await stage.run()).toBe(1)
  const [mail, ...rest] = mails()
  expect(rest).toEqual([])
  expect([mail?.to, mail?.subject]).toEqual([
    `Ana@${customerId}.example`,
    `${customerId}: 2 license changes by a vendor`,
  ])
  for (const expectedText of [
    `Licenses of ${customerId}`,
    '* Business Plus: 20 → 25 licenses',
    '* Business Plus: 26 → 24 licenses',
    'at Google Workspace, seen on ',
    `${BASE_URL}/assets/workspace-suite-1`,
  ])
    expect(mail?.text).toContain(expectedText)
  expect(mail?.text).not.toContain('25 → 26')
  await change(24, 30)
  expect(await stage.run()).toBe(0)
  await stage.passDays(1)
  expect(await stage.run()).toBe(1)
  expect(mails().map(({ text }) => text?.match(/\d+ → \d+/g))).toEqual([['24 → 30']])
  await stage.passDays(1)
  expect(await stage.run()).toBe(0)
})

it('The mail shares the day’s message with invoice notices', async () => {
  await stage.add(customerId, `ana@${customerId}.example`)
  await stage.invoice(customerId, 'IN-1', -3)
  await change(20, 25)
  expect(await stage.run()).toBe(1)
  const [mail] = mails()
  expect(mail?.subject).toBe(`${customerId}: 1 invoice past due, 1 license change by a vendor`)
  expect(mail?.text).toContain(`Invoices and licenses of ${customerId}`)
})

it('No mail reaches members without the license permission, nor reports changes from before they were added', async () => {
  await member(`fin@${customerId}.example`, ['finance-user'])
  await member(`gone@${customerId}.example`, ['it-manager'], { disabledAt: new Date() })
  await change(20, 25)
  for (const name of ['fin', 'gone', 'stranger', 'late'])
    await stage.addForLicenses(customerId, `${name}@${customerId}.example`)
  await member(`late@${customerId}.example`, ['admin'])
  expect(await stage.run()).toBe(1)
  expect(mails().map(({ to }) => to)).toEqual([`Ana@${customerId}.example`])
  await stage.database.sql(customerId, "UPDATE members SET roles = '{finance-user}' WHERE email LIKE 'ana@%'")
  await stage.passDays(1)
  await change(25, 26)
  expect(await stage.run()).toBe(1)
  expect(mails().map(({ to, text }) => [to, text?.match(/\d+ → \d+/g)])).toEqual([
    [`late@${customerId}.example`, ['25 → 26']],
  ])
})

it('The mail is stopped by its link, and a restart skips changes from the pause', async () => {
  await change(20, 25)
  await stage.run()
  const [mail] = mails()
  const links = [...`${mail?.text}`.matchAll(/\/unsubscribe\?link=(\S+)/g)].map(([, link = '']) => link)
  const link = links.find((one) => readNoticeLink(one)?.notice === 'licenses') ?? ''
  expect((await readNoticeSubscription(link))?.notices).toEqual([{ notice: 'licenses', isOn: true }])
  await changeNoticeSubscription(link, 'stop', undefined, 'r')
  await change(25, 26)
  await stage.passDays(1)
  expect(await stage.run()).toBe(0)
  await changeNoticeSubscription(link, 'start', 'licenses', 'r')
  expect(await stage.run()).toBe(0)
  await change(26, 27)
  expect(await stage.run()).toBe(1)
  expect(mails()[0]?.text).toContain('26 → 27')
})

it('The next run sends the mail after a failure of the mail server', async () => {
  await change(20, 25)
  stage.catcher.faults.set('*', { at: 'recipient', code: 451 })
  expect(await stage.run()).toBe(0)
  stage.catcher.faults.clear()
  expect(await stage.run()).toBe(1)
})
