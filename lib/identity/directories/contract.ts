import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Token = z.output<typeof shapes.Token>
export type Group = z.output<typeof shapes.Group>

const permission = 'members-manager'
const BY_WHOM =
  'For a signed-in Admin who sees all billing profiles and proved who they are within 10 minutes, and for no key: a directory adds members and changes what they may do.'
const problems = ['permission_denied', 'fresh_sign_in_required'] as const

/** An addition: what there is of SCIM. */
export const readDirectory = contract({
  ...calls.readDirectory,
  summary: 'Read how a directory manages members by SCIM',
  permission,
  description: 'The address of SCIM, tokens without their secrets, and groups with what they give.',
  output: z
    .object({
      address: z.string().meta({ description: 'Where the directory finds SCIM 2.0.' }),
      tokens: z.array(shapes.Token).meta({ description: 'The oldest first, with those that have ended.' }),
      groups: z.array(shapes.Group).meta({ description: 'In the order in which they came; 1,000 at most.' }),
    })
    .meta({ id: 'Directory', description: 'How a directory manages members of the customer.' }),
  examples: examples.readDirectory,
})

/** An addition: lets a directory in. */
export const issueDirectoryToken = contract({
  ...calls.issueDirectoryToken,
  summary: 'Issue a token for a directory',
  permission,
  description: `It opens SCIM of this customer and nothing else. The answer is the only one that has the token itself. ${BY_WHOM}`,
  body: shapes.NewToken,
  output: z
    .object({
      token: shapes.Token,
      secret: z.string().meta({
        description:
          'The token itself. It is shown this once; what is kept of it can not be turned back into it.',
      }),
    })
    .meta({ id: 'IssuedDirectoryToken', description: 'A new token, and the token itself.' }),
  problems: [...problems],
  examples: examples.issueDirectoryToken,
})

/** An addition: shuts a directory out. */
export const revokeDirectoryToken = contract({
  ...calls.revokeDirectoryToken,
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

/** An addition: what comes with being in a group. */
export const mapDirectoryGroup = contract({
  ...calls.mapDirectoryGroup,
  summary: 'Say what a group gives to its members',
  permission,
  description: `Whoever is in it has that at once, and whoever comes later, too. The last Admin who can sign in stays one: 409 \`last_admin\`. ${BY_WHOM}`,
  body: shapes.GroupMapping,
  output: shapes.Group,
  problems: [...problems, 'last_admin'],
  examples: examples.mapDirectoryGroup,
})

/** An addition: nothing comes with being in a group any more. */
export const unmapDirectoryGroup = contract({
  ...calls.unmapDirectoryGroup,
  summary: 'Say that a group gives nothing',
  permission,
  description: `Its members have what their other groups give, at once; who is in no other that is mapped has no role. The last Admin who can sign in stays one: 409 \`last_admin\`. ${BY_WHOM}`,
  params: z.object({
    group_id: z.string().min(1).max(100).meta({ description: 'The `id` of a group.' }),
  }),
  body: emptyBody,
  output: shapes.Group,
  problems: [...problems, 'last_admin'],
  examples: examples.unmapDirectoryGroup,
})
