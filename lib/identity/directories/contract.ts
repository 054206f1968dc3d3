import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { directoryRoutes } from '../routes.ts'
import * as examples from './examples.ts'

const isPlain = (text: string) => !/\p{Cc}/u.test(text)
const name = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(most, `must have at most ${most} characters`)
    .refine(isPlain, 'has a control character')

const roles = z
  .array(z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }))
  .min(1, 'must name at least one role')
  .max(20, 'has too many entries')

const Token = z
  .object({
    id: z.string().meta({ description: 'Names the token.' }),
    name: z.string().meta({ description: 'As the history calls it.' }),
    hint: z.string().meta({ description: 'How it begins and ends.' }),
    roles: z.array(z.enum(ROLES)).meta({ description: 'What the directory may give to members, at most.' }),
    status: z.enum(['ACTIVE', 'EXPIRED', 'REVOKED']).meta({ description: 'Whether it opens anything.' }),
    createTime: z.int().meta({ description: 'Epoch time in milliseconds of when it was issued.' }),
    expireTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of when it ends by itself. Absent: never.',
    }),
    lastUseTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of its last use, to the minute. Absent where there was none.',
    }),
  })
  .meta({ id: 'DirectoryToken', description: 'What a directory proves itself by; the secret is shown once.' })

const NewToken = z
  .strictObject({
    name: name(100).meta({ description: 'What it is for, such as the name of the directory.' }),
    roles: roles.default(['it-manager', 'finance-user']).meta({
      description:
        'What the directory may give to members, at most. A directory that makes Admins needs `admin`.',
    }),
    validDays: z
      .int()
      .min(1, 'must be at least 1')
      .max(3650, 'must be at most 3650')
      .nullable()
      .default(365)
      .meta({ description: 'After so many days it ends by itself. `null`: never.' }),
  })
  .meta({ id: 'NewDirectoryToken', description: 'A token that is to be issued.' })

const Group = z
  .object({
    id: z.string().meta({ description: 'Names the group.' }),
    name: z.string().meta({ description: 'As the directory calls it.' }),
    members: z.int().meta({ description: 'How many members are in it.' }),
    isMapped: z.boolean().meta({ description: 'Whether it gives anything: without a mapping it does not.' }),
    roles: z.array(z.enum(ROLES)).meta({ description: 'The roles that it gives.' }),
    billingProfiles: z.array(z.string()).nullable().meta({
      description: 'Ids of the billing profiles that it gives. `null`: all, where it is mapped.',
    }),
  })
  .meta({ id: 'DirectoryGroup', description: 'A group of a directory, and what it gives to its members.' })

const GroupMapping = z
  .strictObject({
    name: name(300).meta({
      description: 'As the directory calls the group. One that is not there yet is added.',
    }),
    roles: roles.meta({ description: 'The roles that it gives.' }),
    billingProfiles: z
      .array(z.string().min(1).max(300))
      .max(250, 'must name at most 250')
      .nullable()
      .optional()
      .meta({ description: 'Ids of the billing profiles that it gives. `null`, or absent: all.' }),
  })
  .meta({ id: 'DirectoryGroupMapping', description: 'What a group gives to its members.' })

export type Token = z.output<typeof Token>
export type Group = z.output<typeof Group>

const permission = 'members-manager'
const BY_WHOM =
  'For a signed-in Admin who sees all billing profiles and proved who they are within 10 minutes, and for no key: a directory adds members and changes what they may do.'
const problems = ['permission_denied', 'fresh_sign_in_required'] as const

/** Reads the state of the SCIM directory. An addition to the specified API. */
export const readDirectory = contract({
  ...directoryRoutes.readDirectory,
  summary: 'Read how a directory manages members by SCIM',
  permission,
  description: 'The address of SCIM, tokens without their secrets, and groups with what they give.',
  output: z
    .object({
      address: z.string().meta({ description: 'Where the directory finds SCIM 2.0.' }),
      tokens: z.array(Token).meta({ description: 'The oldest first, with those that have ended.' }),
      groups: z.array(Group).meta({ description: 'In the order in which they came; 1,000 at most.' }),
    })
    .meta({ id: 'Directory', description: 'How a directory manages members of the customer.' }),
  examples: examples.readDirectory,
})

/** Issues a token for a directory. An addition to the specified API. */
export const issueDirectoryToken = contract({
  ...directoryRoutes.issueDirectoryToken,
  summary: 'Issue a token for a directory',
  permission,
  description: `It opens SCIM of this customer and nothing else. The answer is the only one that has the token itself. ${BY_WHOM}`,
  body: NewToken,
  output: z
    .object({
      token: Token,
      secret: z.string().meta({
        description:
          'The token itself. It is shown this once; what is kept of it cannot be turned back into it.',
      }),
    })
    .meta({ id: 'IssuedDirectoryToken', description: 'A new token, and the token itself.' }),
  problems: [...problems],
  examples: examples.issueDirectoryToken,
})

/** Revokes a directory's token. An addition to the specified API. */
export const revokeDirectoryToken = contract({
  ...directoryRoutes.revokeDirectoryToken,
  summary: 'Revoke a token of a directory',
  permission,
  description: `From its next request on it opens nothing. Members stay as they are. ${BY_WHOM}`,
  params: z.object({
    token_id: z.string().min(1).max(100).meta({ description: 'The `id` of a token.' }),
  }),
  body: emptyBody,
  output: z
    .object({ revoked: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'DirectoryTokenRevoked', description: 'The token is revoked.' }),
  problems: [...problems],
  examples: examples.revokeDirectoryToken,
})

/** Maps a group to roles and billing profiles. An addition to the specified API. */
export const mapDirectoryGroup = contract({
  ...directoryRoutes.mapDirectoryGroup,
  summary: 'Say what a group gives to its members',
  permission,
  description: `Current and future members of the group get the access immediately. The last Admin who can sign in keeps the role: 409 \`last_admin\`. ${BY_WHOM}`,
  body: GroupMapping,
  output: Group,
  problems: [...problems, 'last_admin'],
  examples: examples.mapDirectoryGroup,
})

/** Removes the mapping of a group. An addition to the specified API. */
export const unmapDirectoryGroup = contract({
  ...directoryRoutes.unmapDirectoryGroup,
  summary: 'Say that a group gives nothing',
  permission,
  description: `Its members have what their other groups give, at once; who is in no other that is mapped has no role. The last Admin who can sign in stays one: 409 \`last_admin\`. ${BY_WHOM}`,
  params: z.object({
    group_id: z.string().min(1).max(100).meta({ description: 'The `id` of a group.' }),
  }),
  body: emptyBody,
  output: Group,
  problems: [...problems, 'last_admin'],
  examples: examples.unmapDirectoryGroup,
})
