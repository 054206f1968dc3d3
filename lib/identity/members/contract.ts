import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ifMatch } from '#lib/platform/api/request.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { memberRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { MEMBER_STATES } from './rules.ts'

/** State of the mail with an invitation. */
export const INVITE_MAILS = ['waiting', 'sent', 'refused', 'unknown'] as const

const Roles = z.array(z.enum(ROLES))
const Profiles = z.array(z.string()).nullable()

const Member = z
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
        '`invited`: they have not come yet. `disabled`: they cannot sign in, and the keys that they made do not work.',
    }),
    inviteExpireTime: z.int().optional().meta({
      description:
        'Epoch time in milliseconds until when the invitation works; it may be over. Absent without a pending invitation.',
    }),
    inviteMail: z.enum(INVITE_MAILS).optional().meta({
      description:
        'What became of the mail with the invitation: `refused` where the mail server did not take it, `unknown` where it did not say. Absent where the link was not to be mailed.',
    }),
    createTime: z.int().meta({ description: 'Epoch time in milliseconds of when they were added.' }),
    addedBy: z.string().optional().meta({
      description: 'Who added the member: a name, or `API key` and its name. Absent if not recorded.',
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
  .meta({ id: 'Member', description: 'A person who may sign in to the console for this customer.' })

const MemberLink = z
  .object({
    kind: z.enum(['invitation', 'reset']).meta({
      description: '`invitation`: for who has not come yet. `reset`: to set a new password.',
    }),
    expireTime: z.int().meta({ description: 'Epoch time in milliseconds until when it works, once.' }),
    sentTo: z.string().optional().meta({
      description: 'The address that it is mailed to. Absent where no mail server is set.',
    }),
    url: z.string().optional().meta({
      description: 'The link itself, shown once. Send it only to the member. Absent if it is emailed.',
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
  .max(20, 'has too many entries')
  .meta({ description: 'All of their roles. A member can only give roles that they have; Admins have all.' })

const billingProfiles = z
  .array(z.string().min(1).max(300))
  .max(250, 'must name at most 250')
  .nullable()
  .meta({
    description:
      'Ids of billing profiles, to limit the member to them; none of them is `[]`. `null`: all, also later ones.',
  })

const Invitation = z
  .strictObject({
    email: z.email('is not an email address').max(254, 'is too long').meta({
      description: 'The address that they will sign in with.',
    }),
    name,
    roles,
    billingProfiles: billingProfiles.optional(),
  })
  .meta({ id: 'Invitation', description: 'Who is invited, and to what.' })

const MemberChange = z
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

export type Member = z.output<typeof Member>
export type MemberLink = z.output<typeof MemberLink>

const permission = 'members-manager'
const FRESH =
  'A signed-in member must have proven who they are within 10 minutes: else 403 `fresh_sign_in_required`.'

const PERSON = 'It requires a signed-in member: 403 for an API key, which cannot grant access.'

/** Lists the members. An addition to the specified API. */
export const listMembers = contract({
  ...memberRoutes.listMembers,
  summary: 'List members, newest first',
  permission,
  description: 'Who may sign in to the console for this customer, who is invited, and who is disabled.',
  query: z.object({
    filter: filterText(['state', 'role'], {
      state: MEMBER_STATES,
      role: ['it-manager', 'finance-user', 'admin'],
    })
      .optional()
      .meta({
        description: `As in \`state:invited|role:admin\`. Keys: state (invited, active or disabled), role (it-manager, finance-user or admin). ${FILTER_GRAMMAR}`,
      }),
    search: z.string().max(200).optional().meta({
      description:
        'Part of the name or address. Case is ignored; fewer than three characters match the start.',
    }),
    ...paging,
  }),
  output: pageSchema('members', Member).meta({ id: 'MemberList', description: 'A page of members.' }),
  examples: examples.listMembers,
})

const params = z.object({
  member_id: z.string().min(1).max(100).meta({ description: 'The `id` of a member.' }),
})

export const readMember = contract({
  ...memberRoutes.readMember,
  summary: 'Read one member',
  permission,
  description: 'A member. The ETag begins with the version of what can be changed, for If-Match.',
  params,
  output: Member,
  examples: examples.readMember,
})

/** Invites a member by a link. An addition to the specified API. */
export const inviteMember = contract({
  ...memberRoutes.inviteMember,
  summary: 'Invite a member',
  permission,
  description: `Adds a member who comes by a link, within 7 days. The link is mailed where a mail server is set; else it is in the answer, this one time. An address that is a member of another customer is invited like any other. One that is a member here is 409 \`member_exists\`. ${PERSON} ${FRESH}`,
  body: Invitation,
  output: z
    .object({ member: Member, link: MemberLink })
    .meta({ id: 'InvitedMember', description: 'Who was invited, and how they come in.' }),
  problems: ['member_exists', 'fresh_sign_in_required'],
  examples: examples.inviteMember,
})

/** Changes a member's name and access, and disables or enables them. An addition to the specified API. */
export const changeMember = contract({
  ...memberRoutes.changeMember,
  summary: 'Change, disable or enable a member',
  permission,
  description: `What is named changes, from the next request on, and is one row of the history each. The last Admin who can sign in and sees all billing profiles cannot be disabled, limited or demoted: 409 \`last_admin\`. A member cannot give more than they have, and enabling a member gives what that member has: 403. An Admin who sees some billing profiles changes no member with more access: 403. An API key renames members; it cannot change access, disable or enable: 403. With If-Match, 412 \`member_changed\` if someone else has changed the member since. ${FRESH}`,
  params,
  headers: z.object({
    'if-match': ifMatch.optional().meta({
      description: 'An ETag of the member: 412 if name, roles, profiles or access changed since.',
    }),
  }),
  body: MemberChange,
  output: Member,
  // For disabling a member; the operation rejects other changes.
  evenIfClosed: true,
  problems: ['last_admin', 'member_changed', 'fresh_sign_in_required', 'customer_closed'],
  examples: examples.changeMember,
})

/** Makes a new link for a member who lost the invitation or forgot the password. An addition to the specified API. */
export const makeMemberLink = contract({
  ...memberRoutes.makeMemberLink,
  summary: 'Make a new link for a member',
  permission,
  description: `A new invitation for who has not come yet (7 days), else a link to set a new password (30 minutes). It works once, and the links of before no longer do. It is mailed where a mail server is set; else it is in the answer, this one time. Whose member has more roles or billing profiles than who asks is 403. A disabled member is 409 \`member_disabled\`. ${PERSON} ${FRESH}`,
  params,
  body: emptyBody,
  output: MemberLink,
  problems: ['member_disabled', 'fresh_sign_in_required'],
  examples: examples.makeMemberLink,
})

/** Withdraws an invitation that is not accepted yet. An addition to the specified API. */
export const withdrawInvitation = contract({
  ...memberRoutes.withdrawInvitation,
  summary: 'Withdraw an invitation',
  permission,
  description: `The link no longer works, and the member is gone from the list; the history keeps both. Who has come already is 409 \`invitation_accepted\`: disable them. ${FRESH}`,
  params,
  body: emptyBody,
  output: z
    .object({ withdrawn: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'InvitationWithdrawn', description: 'The invitation is withdrawn.' }),
  problems: ['invitation_accepted', 'fresh_sign_in_required'],
  examples: examples.withdrawInvitation,
})
