import { describe, expect, it } from 'vitest'
import { POST } from '#app/api/unsubscribe/route.ts'
import { noticeLink, readNoticeLink } from '#lib/identity/access/notice-link.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { BASE_URL } from '../../../test/fakes/mail/stage.ts'
import { customerId, onStage, stage } from './test-stage.ts'
import { changeNoticeSubscription, readNoticeSubscription } from './unsubscribe.ts'

onStage(async () => {
  await stage.add(customerId, 'ap@books.example')
  await stage.invoice(customerId, 'IN-1', -3)
})

const stop = (link: string, what?: 'new' | 'due' | 'past-due' | 'all') =>
  changeNoticeSubscription(link, 'stop', what, 'test-request')
const start = (link: string, what: 'new' | 'all') =>
  changeNoticeSubscription(link, 'start', what, 'test-request')

/** Returns the links of a mail, by notice. */
async function linksOfMail() {
  await stage.run()
  const [mail] = stage.taken()
  const matches = [...`${mail?.text}`.matchAll(/\/unsubscribe\?link=(\S+)/g)].map(([, link = '']) => link)
  const links = Object.fromEntries(matches.map((link) => [readNoticeLink(link)?.notice, link]))
  return { mail, links: links as Record<'all' | 'past-due' | 'new' | 'due', string> }
}

const on = async (link: string) =>
  (await readNoticeSubscription(link))?.notices.filter(({ isOn }) => isOn).map(({ notice }) => notice)

it('Each mail contains a link per kind, one for all, and the headers of RFC 8058', async () => {
  const { mail, links } = await linksOfMail()
  expect(Object.keys(links).sort()).toEqual(['all', 'past-due'])
  expect(mail?.html).toContain(`${BASE_URL}/unsubscribe?link=${links['past-due']}`)
  expect(mail?.headers).toMatchObject({
    'list-unsubscribe': `<${BASE_URL}/api/unsubscribe?link=${links.all}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    'auto-submitted': 'auto-generated',
  })
  expect(`${links.all}`).not.toContain('books')
})

it.each(['form', 'multipart'])(
  'A one-click POST from anywhere stops all notices, and is answered itself: %s',
  async (kind) => {
    const { mail, links } = await linksOfMail()
    const url = /<(.*)>/.exec(`${mail?.headers['list-unsubscribe']}`)?.[1] ?? ''
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    const body = kind === 'form' ? new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) : form
    const headers = { Origin: 'https://mail.example', 'Sec-Fetch-Site': 'cross-site' }
    for (let n = 0; n < 2; n++) {
      const answer = await POST(new Request(url, { method: 'POST', headers, body }))
      expect([answer.status, await answer.text()]).toEqual([200, 'You get no more of these notices.\n'])
    }
    expect(await on(links.all)).toEqual([])
  },
)

it('Stopping one kind takes effect immediately, and the others continue', async () => {
  const { links } = await linksOfMail()
  expect(await readNoticeSubscription(links['past-due'])).toEqual({
    email: 'ap@books.example',
    customer: customerId,
    notice: 'past-due',
    notices: ['past-due', 'due', 'new'].map((notice) => ({ notice, isOn: true })),
  })
  expect(await stop(links['past-due'])).toBe(true)
  expect(await stop(links['past-due'])).toBe(true)
  expect(await on(links.all)).toEqual(['due', 'new'])
  await stage.passDays(8)
  expect(await stage.run()).toBe(0)
  await stage.invoice(customerId, 'IN-2', 3)
  await stage.run()
  expect(stage.taken().map(({ headers }) => headers.subject)).toEqual([
    `${customerId}: 1 invoice due within 7 days`,
  ])
})

it('all are stopped, in every billing profile and also those that come later', async () => {
  const { links } = await linksOfMail()
  expect(await stop(links.all)).toBe(true)
  await stage.invoice(customerId, 'IN-2', 3)
  await stage.passDays(8)
  expect(await stage.run()).toBe(0)
  expect(await stage.add(customerId, 'ap@books.example', { kinds: ['due'] })).toEqual([
    'past-due',
    'due',
    'new',
    'licenses',
    'needs',
  ])
  expect([await stage.run(), await on(links.all)]).toEqual([0, []])
})

it('A restarted notice reports no old news', async () => {
  const { links } = await linksOfMail()
  await stop(links.all)
  await stage.passDays(30)
  await stage.invoice(customerId, 'IN-2', 60)
  await start(links.all, 'new')
  await stage.invoice(customerId, 'IN-3', 60)
  await stage.run()
  const [mail] = stage.taken()
  expect(mail?.headers.subject).toBe(`${customerId}: 1 new invoice`)
  expect(mail?.text).toContain('IN-3')
})

it('an operator can start it again at the wish of the person', async () => {
  const { links } = await linksOfMail()
  await stop(links.all)
  expect(
    await stage.add(customerId, 'ap@books.example', { kinds: ['due', 'past-due'], again: true }),
  ).toEqual(['new', 'licenses', 'needs'])
  expect(await on(links.all)).toEqual(['past-due', 'due'])
})

it('A stop survives the removal of the address', async () => {
  const { links } = await linksOfMail()
  await stop(links['past-due'])
  await stage.clear()
  expect((await readNoticeSubscription(links.all))?.notices).toEqual([])
  expect(await stage.add(customerId, 'AP@books.example')).toEqual(['past-due'])
})

it('A stop is recorded in the history, once', async () => {
  const { links } = await linksOfMail()
  await stop(links.all, 'due')
  await stop(links.all, 'due')
  await start(links.all, 'all')
  const history = await stage.database.sql(
    customerId,
    "SELECT action, actor_kind, actor_name, details FROM audit_events WHERE action LIKE 'notices.%' ORDER BY id",
  )
  const actor = { actor_kind: 'recipient', actor_name: 'ap@books.example', details: { notices: ['due'] } }
  expect(history).toEqual([
    { action: 'notices.stopped', ...actor },
    { action: 'notices.started', ...actor },
  ])
})

describe('an invalid link', () => {
  it.each([
    ['nothing', () => ''],
    ['a forged one', (link: string) => `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`],
    ['one without a signature', (link: string) => link.split('.')[0] ?? ''],
  ])('changes nothing: %s', async (_, forge) => {
    const { links } = await linksOfMail()
    const forged = forge(links.all)
    expect([await readNoticeSubscription(forged), await stop(forged)]).toEqual([undefined, false])
    expect(await on(links.all)).toHaveLength(3)
  })

  it('A link to another customer’s recipient matches no subscription', async () => {
    const { links } = await linksOfMail()
    await addCustomer(`${customerId}-eve`)
    const recipientId = readNoticeLink(links.all)?.recipientId ?? ''
    const crossed = noticeLink({ customerId: newCustomerId(`${customerId}-eve`), recipientId, notice: 'all' })
    expect([await readNoticeSubscription(crossed), await stop(crossed)]).toEqual([undefined, false])
    expect(await on(links.all)).toHaveLength(3)
  })
})

it('A stop during a run leaves the mail in progress, and no other', async () => {
  const { links } = await linksOfMail()
  await stage.passDays(8)
  stage.catcher.hold = async () => {
    expect(await stop(links.all)).toBe(true)
  }
  expect(await stage.run()).toBe(1)
  stage.catcher.hold = undefined
  await stage.passDays(8)
  expect(await stage.run()).toBe(0)
})
