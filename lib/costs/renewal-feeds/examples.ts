import { type Example, refused } from '#lib/platform/api/openapi/example.ts'

const by = 'session'
const FEED = { isOn: true, hint: 'cal_7Rk2…f3Kq', createTime: 1795428000000 }

export const readRenewalFeed: readonly Example[] = [
  { name: 'none', summary: 'No link', by, answer: { status: 200, body: { isOn: false } } },
  {
    name: 'by-key',
    summary: 'An API key has no calendar',
    answer: refused('permission_denied', 'A calendar feed belongs to a signed-in member.'),
  },
]

export const makeRenewalFeed: readonly Example[] = [
  {
    name: 'new',
    summary: 'A new link',
    by,
    body: {},
    answer: {
      status: 200,
      body: {
        feed: FEED,
        url: 'https://console.example.com/calendar/cal_7Rk2bB9w0VqYx3nTgMzLcAeHdJsU4oP1f3Kq.ics',
      },
    },
  },
]

export const revokeRenewalFeed: readonly Example[] = [
  {
    name: 'ended',
    summary: 'No link any more',
    by,
    body: {},
    answer: { status: 200, body: { isOn: false } },
  },
]
