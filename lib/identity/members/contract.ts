import { z } from 'zod'
import { contract, emptyBody, paging, pagingOutput } from '#lib/platform/api/contract.ts'
import { ifMatch } from '#lib/platform/api/entity-tag.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import { MEMBER_STATES } from './rules.ts'
import * as shapes from './shapes.ts'

export type Member = z.output<typeof shapes.Member>
export type MemberLink = z.output<typeof shapes.MemberLink>

const permission = 'members-manager'
const FRESH =
  'A signed-in member must have proven who they are within 10 minutes: else 403 `fresh_sign_in_required`.'

const PERSON = 'It takes a signed-in member: 403 for an API key, which gives nobody anything.'

/** An addition: who may sign in. */
export const listMembers = contract({
  ...calls.listMembers,
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
      description: 'Part of the name or address, in any case. Under three characters: the start.',
    }),
    ...paging,
  }),
  output: z
    .object({ members: z.array(shapes.Member).meta({ description: 'The page.' }), ...pagingOutput })
    .meta({ id: 'MemberList', description: 'A page of members.' }),
  examples: examples.listMembers,
})

const params = z.object({
  member_id: z.string().min(1).max(100).meta({ description: 'The `id` of a member.' }),
})

export const readMember = contract({
  ...calls.readMember,
  summary: 'Read one member',
  permission,
  description: 'A member. The ETag begins with the version of what can be changed, for If-Match.',
  params,
  output: shapes.Member,
  examples: examples.readMember,
})

/** An addition: lets somebody come, by a link. */
export const inviteMember = contract({
  ...calls.inviteMember,
  summary: 'Invite a member',
  permission,
  description: `Adds a member who comes by a link, within 7 days. The link is mailed where a mail server is set; else it is in the answer, this one time. An address that is a member of another customer is invited like any other. One that is a member here is 409 \`member_exists\`. ${PERSON} ${FRESH}`,
  body: shapes.Invitation,
  output: z
    .object({ member: shapes.Member, link: shapes.MemberLink })
    .meta({ id: 'InvitedMember', description: 'Who was invited, and how they come in.' }),
  problems: ['member_exists', 'fresh_sign_in_required'],
  examples: examples.inviteMember,
})

/** An addition: what a member is called, may do and may see, and whether they may come at all. */
export const changeMember = contract({
  ...calls.changeMember,
  summary: 'Change, disable or enable a member',
  permission,
  description: `What is named changes, from the next request on, and is one row of the history each. The last Admin who can sign in can not be disabled and keeps the role: 409 \`last_admin\`. Nobody gives more than they have, and to enable somebody is to give what they have: 403. An API key renames, disables and takes roles and billing profiles away; it gives none and enables nobody: 403. With If-Match, 412 \`member_changed\` where somebody else has changed the member since. ${FRESH}`,
  params,
  headers: z.object({
    'if-match': ifMatch.optional().meta({
      description: 'An ETag of the member: 412 if name, roles, profiles or access changed since.',
    }),
  }),
  body: shapes.MemberChange,
  output: shapes.Member,
  // To disable somebody: anything else is refused by the operation.
  evenIfClosed: true,
  problems: ['last_admin', 'member_changed', 'fresh_sign_in_required', 'customer_closed'],
  examples: examples.changeMember,
})

/** An addition: for who lost the invitation, or forgot the password. */
export const makeMemberLink = contract({
  ...calls.makeMemberLink,
  summary: 'Make a new link for a member',
  permission,
  description: `A new invitation for who has not come yet (7 days), else a link to set a new password (30 minutes). It works once, and the links of before no longer do. It is mailed where a mail server is set; else it is in the answer, this one time. Whose member has more roles or billing profiles than who asks is 403. A disabled member is 409 \`member_disabled\`. ${PERSON} ${FRESH}`,
  params,
  body: emptyBody,
  output: shapes.MemberLink,
  problems: ['member_disabled', 'fresh_sign_in_required'],
  examples: examples.makeMemberLink,
})

/** An addition: takes back what was not taken up. */
export const withdrawInvitation = contract({
  ...calls.withdrawInvitation,
  summary: 'Withdraw an invitation',
  permission,
  description: `The link no longer works, and the member is gone from the list; the history keeps both. Who has come already is 409 \`invitation_accepted\`: disable them. ${FRESH}`,
  params,
  body: emptyBody,
  output: z
    .object({ withdrawn: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'InvitationWithdrawn', description: 'Nobody is invited any longer.' }),
  problems: ['invitation_accepted', 'fresh_sign_in_required'],
  examples: examples.withdrawInvitation,
})
