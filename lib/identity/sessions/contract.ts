import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { sessionRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { WHOSE } from './rules.ts'

const Session = z
  .object({
    id: z.string().meta({ description: 'Names the session. Nothing can be opened with it.' }),
    member: z
      .object({
        id: z.string().meta({ description: 'Id of the member.' }),
        name: z.string().meta({ description: "The member's name." }),
        email: z.string().meta({ description: "The member's address." }),
      })
      .meta({ id: 'SessionMember', description: 'Who is signed in.' }),
    device: z.string().meta({
      description: 'Browser and system, as they name themselves: `Firefox on Windows`.',
    }),
    address: z.string().optional().meta({
      description: 'The network address from which it was opened. Absent where it is not known.',
    }),
    createTime: z.int().meta({ description: 'Epoch time in milliseconds of the sign-in.' }),
    lastSeenTime: z.int().meta({
      description: 'Epoch time in milliseconds of when it was used last, to the minute.',
    }),
    isCurrent: z.boolean().meta({ description: 'Whether it is the session that asks.' }),
  })
  .meta({ id: 'Session', description: 'A person who is signed in to the console in one browser.' })

export type Session = z.output<typeof Session>

/** Lists sessions with their devices. An addition to the specified API. */
export const listSessions = contract({
  ...sessionRoutes.listSessions,
  summary: 'List sessions of the console, newest first',
  permission: 'any',
  description:
    'Who is signed in to the console, since when, and with which device. A session ends after 30 minutes without use, and 8 hours after its sign-in. A key has none of its own; all of them are listed for Admins and their keys.',
  query: z.object({
    whose: z
      .enum(WHOSE, { error: 'must be own or all' })
      .optional()
      .meta({
        description: "`own`: the caller's. `all`: those of all members, for Admins.",
        json: { type: 'string', enum: [...WHOSE], default: 'own' },
      }),
    ...paging,
  }),
  output: pageSchema('sessions', Session).meta({ id: 'SessionList', description: 'A page of sessions.' }),
  problems: ['permission_denied'],
  examples: examples.listSessions,
})

/** Ends a session of another browser. An addition to the specified API. */
export const endSession = contract({
  ...sessionRoutes.endSession,
  evenIfClosed: true,
  summary: 'End a session of the console',
  permission: 'any',
  description:
    "Signs a browser out, from its next request on. Members end their own sessions; Admins and their keys end those of all members. The member's account does not know that browser any longer. One that has ended, or is another's, is 404.",
  params: z.object({
    session_id: z.string().min(1).max(100).meta({ description: 'The `id` of a session.' }),
  }),
  body: emptyBody,
  output: z
    .object({ ended: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'SessionEnded', description: 'The session has ended.' }),
  examples: examples.endSession,
})
