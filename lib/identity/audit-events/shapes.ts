import { z } from 'zod'
import { actor, others } from '#lib/platform/history/shapes.ts'
import { timeOf } from '#lib/platform/lists/unix-time.ts'

const text = (description: string) => z.string().meta({ description })
const detail = z.union([z.string(), z.number(), z.array(z.string()), z.null()])

/** An addition: something that happened, and who did it. */
export const AuditEvent = z
  .object({
    id: text('Names the event.'),
    place: z
      .int()
      .optional()
      .meta({ description: 'Its place in the chain of your events. Absent where it has none yet.' }),
    createTime: timeOf('When it happened'),
    action: text(
      `What happened, as \`<thing>.<past verb>\`: session.opened, session.ended, sign-in.failed, key.issued, member.disabled, license-change.applied, export.begun, access.denied, and others.`,
    ),
    subject: text('The id of the thing that it happened to.'),
    actor: actor.meta({ description: 'Who did it.' }),
    requestId: text('The `Request-Id` of the answer, or what stands for a job or a command.'),
    session: text('The beginning of the digest of the session.').optional(),
    address: text(
      'The address that the actor called from. Absent where it was no request of theirs.',
    ).optional(),
    browser: text('What their browser or program calls itself, cut after 300 characters.').optional(),
    device: text('The browser and system that `browser` speaks of, in short.').optional(),
    details: z.record(z.string(), detail).meta({ description: `What else is known of it; ${others}` }),
  })
  .meta({ id: 'AuditEvent', description: 'Something that happened, and who did it.' })
