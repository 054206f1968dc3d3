import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'
import { file } from '#lib/platform/files/download.ts'
import { feedRoutes } from '../routes.ts'

const by = 'session'
const FEED = { isOn: true, hint: 'cal_7Rk2…f3Kq', createTime: 1795428000000 }

const readExamples: readonly Example[] = [
  { name: 'none', summary: 'No link', by, answer: { status: 200, body: { isOn: false } } },
  {
    name: 'by-key',
    summary: 'An API key has no calendar',
    answer: problemAnswer('permission_denied', 'A calendar feed belongs to a signed-in member.'),
  },
]

const makeExamples: readonly Example[] = [
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

const revokeExamples: readonly Example[] = [
  {
    name: 'ended',
    summary: 'No link any more',
    by,
    body: {},
    answer: { status: 200, body: { isOn: false } },
  },
]

const time = (what: string) => z.int().meta({ description: `${what}: epoch time in milliseconds.` })

const Feed = z
  .object({
    isOn: z.boolean().meta({ description: 'Whether the member has a link.' }),
    hint: z.string().optional().meta({ description: 'How the secret in it begins and ends.' }),
    createTime: time('When it was made').optional(),
    lastReadTime: time('When a calendar read it last, to the minute').optional(),
  })
  .meta({ id: 'RenewalFeed', description: 'The private link of a member’s calendar.' })

export type RenewalFeed = z.output<typeof Feed>

const problems = ['permission_denied'] as const

/** Addition: the calling member's link. */
export const readRenewalFeed = contract({
  ...feedRoutes.readRenewalFeed,
  summary: 'Read whether the signed-in member has a calendar feed',
  permission: 'any',
  description:
    'For signed-in members, and for no API key. What is kept of the link cannot be turned back into it.',
  output: Feed,
  problems: [...problems],
  examples: readExamples,
})

/** Addition: creates a link for reading renewals with a calendar. */
export const makeRenewalFeed = contract({
  ...feedRoutes.makeRenewalFeed,
  summary: 'Create the calendar feed of the signed-in member',
  permission: 'licenses-manager',
  description:
    'For a member who proved who they are within 10 minutes, and for no API key. A member has one link: another one that they had ends. Only this answer has it. Anyone with the link can read the renewals that its member may see at that moment, and nothing else.',
  body: emptyBody,
  output: z
    .object({
      feed: Feed,
      url: z.url().meta({
        description: 'The link itself, for a calendar that subscribes to it. It is shown this once.',
      }),
    })
    .meta({ id: 'MadeRenewalFeed', description: 'A new link, and the link itself.' }),
  problems: [...problems, 'fresh_sign_in_required'],
  examples: makeExamples,
})

/** An addition: ends the link. */
export const revokeRenewalFeed = contract({
  ...feedRoutes.revokeRenewalFeed,
  evenIfClosed: true,
  summary: 'Revoke the calendar feed of the signed-in member',
  permission: 'any',
  description: 'From its next request on it is 404. Who has none has none.',
  body: emptyBody,
  output: Feed,
  problems: [...problems, 'fresh_sign_in_required'],
  examples: revokeExamples,
})

/** Calendar file. Not part of the published API: docs/use/renewals.md describes it. */
export const readCalendar = contract({
  ...feedRoutes.readCalendar,
  summary: 'The calendar behind a private link',
  permission: 'none',
  description: 'Renewals, and the last day to decide about each, as iCalendar (RFC 5545).',
  params: z.object({ secret: z.string().max(100) }),
  output: file('text/calendar', 'Events of whole days.'),
  problems: ['rate_limited'],
})
