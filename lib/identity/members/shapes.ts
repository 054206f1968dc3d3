import { z } from 'zod'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { MEMBER_STATES } from './rules.ts'

/** What became of the mail with an invitation. */
export const INVITE_MAILS = ['waiting', 'sent', 'refused', 'unknown'] as const

const Roles = z.array(z.enum(ROLES))
const Profiles = z.array(z.string()).nullable()

export const Member = z
  .object({
    id: z.string().meta({ description: 'Names the member.' }),
    name: z.string().meta({ description: "The member's name." }),
    email: z.string().meta({ description: 'The address that they sign in with.' }),
    roles: Roles.meta({ description: 'What they may do. `admin` holds what the others hold.' }),
    billingProfiles: Profiles.meta({
      description:
        'Ids of the billing profiles whose invoices they see. `null`: all, also those that are added later.',
    }),
    state: z.enum(MEMBER_STATES).meta({
      description:
        '`invited`: they have not come yet. `disabled`: they can not sign in, and the keys that they made do not work.',
    }),
    inviteExpireTime: z.int().optional().meta({
      description:
        'Epoch time in milliseconds until when the invitation works; it may be over. Absent where nobody is invited, or no invitation is left.',
    }),
    inviteMail: z.enum(INVITE_MAILS).optional().meta({
      description:
        'What became of the mail with the invitation: `refused` where the mail server did not take it, `unknown` where it did not say. Absent where the link was not to be mailed.',
    }),
    createTime: z.int().meta({ description: 'Epoch time in milliseconds of when they were added.' }),
    addedBy: z.string().optional().meta({
      description:
        'Who added them: a name, or `API key` and its name. Absent where that was not written down.',
    }),
    secondFactors: z
      .array(z.enum(['totp', 'passkey']))
      .optional()
      .meta({
        description:
          'What proves who they are at this customer beside a password, by kind: `totp` is an app that shows codes. Absent where they have not come yet, or are disabled.',
      }),
    lastSignInTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of their last sign-in. Absent where none is known.',
    }),
  })
  .meta({ id: 'Member', description: 'Somebody who may sign in to the console for this customer.' })

export const MemberLink = z
  .object({
    kind: z.enum(['invitation', 'reset']).meta({
      description: '`invitation`: for who has not come yet. `reset`: to set a new password.',
    }),
    expireTime: z.int().meta({ description: 'Epoch time in milliseconds until when it works, once.' }),
    sentTo: z.string().optional().meta({
      description: 'The address that it is mailed to. Absent where no mail server is set.',
    }),
    url: z.string().optional().meta({
      description:
        'The link itself, which is told this one time. Pass it on to the member and to nobody else. Absent where it is mailed.',
    }),
  })
  .meta({ id: 'MemberLink', description: 'A link with which a member comes in, once.' })

const isPlain = (text: string) => !/\p{Cc}/u.test(text)

const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(200, 'must have at most 200 characters')
  .refine(isPlain, 'has a control character')
  .meta({ description: "The member's name, as the console shows it." })

const roles = z
  .array(z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }))
  .min(1, 'must name at least one role')
  .max(20, 'names too many')
  .meta({ description: 'All of their roles. Nobody gives one that they do not have; Admins have all.' })

const billingProfiles = z
  .array(z.string().min(1).max(300))
  .max(250, 'must name at most 250')
  .nullable()
  .meta({
    description:
      'Ids of billing profiles, to limit the member to them; none of them is `[]`. `null`: all, also later ones.',
  })

export const Invitation = z
  .strictObject({
    email: z.email('is not an e-mail address').max(254, 'is too long').meta({
      description: 'The address that they will sign in with.',
    }),
    name,
    roles,
    billingProfiles: billingProfiles.optional(),
  })
  .meta({ id: 'Invitation', description: 'Who is invited, and to what.' })

export const MemberChange = z
  .strictObject({
    name: name.optional(),
    roles: roles.optional(),
    billingProfiles: billingProfiles.optional(),
    disabled: z.boolean().optional().meta({
      description:
        '`true` shuts them out from the next request on: their sessions end, and the keys that they made do not work. `false` lets them in again.',
    }),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name what is to change')
  .meta({ id: 'MemberChange', description: 'What is to change; what is not named stays.' })
