import { z } from 'zod'
import { contract, emptyBody, paging, pagingOutput } from '#lib/platform/api/contract.ts'
import { switchText } from '#lib/platform/api/query-text.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import { DEFAULT_OVERLAP, OVERLAPS, STATES, WHOSE } from './rules.ts'
import { KeyName, KeyRevoked, NewKey, Key as Shape } from './shapes.ts'

export type { Key } from './shapes.ts'

const params = z.object({
  key_id: z.string().min(1).max(100).meta({ description: 'The `id` of a key.' }),
})

const Secret = z.string().meta({
  description: 'The key itself. It is shown this once; what is kept of it can not be turned back into it.',
})

/** An addition: the keys of the customer. */
export const listKeys = contract({
  ...calls.listKeys,
  summary: 'List API keys, newest first',
  permission: 'any',
  description:
    'What each opens, when it ends, and when and from where it was used last. A member sees their own, a key sees itself; all are listed for Admins and their keys. Keys that have ended stay in the list.',
  query: z.object({
    whose: z
      .enum(WHOSE, { error: 'must be own or all' })
      .optional()
      .meta({
        description: "`own`: the caller's. `all`: those of the customer, for Admins.",
        json: { type: 'string', enum: [...WHOSE], default: 'own' },
      }),
    state: z
      .enum(STATES, { error: 'must be usable or ended' })
      .optional()
      .meta({
        description: '`usable`: those that open something now. `ended`: the others. Absent: all.',
        json: { type: 'string', enum: [...STATES] },
      }),
    ...paging,
  }),
  output: z
    .object({ keys: z.array(Shape).meta({ description: 'The page.' }), ...pagingOutput })
    .meta({ id: 'KeyList', description: 'A page of keys.' }),
  problems: ['permission_denied'],
  examples: examples.listKeys,
})

/** An addition: one key. */
export const readKey = contract({
  ...calls.readKey,
  summary: 'Read an API key',
  permission: 'any',
  description: "What the list says of it. Another member's is 404 for who is no Admin.",
  params,
  output: Shape,
  examples: examples.readKey,
})

/** An addition: makes a key. */
export const issueKey = contract({
  ...calls.issueKey,
  summary: 'Issue an API key',
  permission: 'any',
  description:
    'For signed-in members, who prove at most 10 minutes before who they are; a key issues no other. Nobody gives a key more roles or billing profiles than they have: 403. The answer is the only one that has the key itself, so there is no Idempotency-Key: a repeated call makes another key.',
  body: NewKey,
  output: z
    .object({ key: Shape, secret: Secret })
    .meta({ id: 'IssuedKey', description: 'A new key, and the key itself.' }),
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.issueKey,
})

/** An addition: another name. */
export const renameKey = contract({
  ...calls.renameKey,
  summary: 'Rename an API key',
  permission: 'any',
  description: 'Members rename their own, Admins and their keys all.',
  params,
  body: z.strictObject({ name: KeyName.meta({ description: 'What it is for.' }) }),
  output: Shape,
  problems: ['fresh_sign_in_required'],
  examples: examples.renameKey,
})

/** An addition: a key that follows another one. */
export const rotateKey = contract({
  ...calls.rotateKey,
  summary: 'Rotate an API key',
  permission: 'any',
  description:
    'Makes a key that inherits name, roles, billing profiles, owner and networks, and is valid for as long as the former was made for; for the most days that are allowed, where the former has no end and keys without one are not allowed any more. The former ends after `overlap`. A member rotates their own, a signed-in Admin also those of the customer, and a key itself. One that has ended, or was rotated before, is 409. A key that rotated itself, or was got so, ten times within an hour waits: 429 `rate_limited`, with `Retry-After`. A repeated call is answered so, too: the key itself is shown once.',
  params,
  body: z.strictObject({
    overlap: z
      .enum(OVERLAPS, { error: `must be one of ${OVERLAPS.join(', ')}` })
      .default(DEFAULT_OVERLAP)
      .meta({
        description: 'How long both may be used.',
      }),
  }),
  output: z
    .object({ key: Shape, secret: Secret, former: Shape })
    .meta({ id: 'RotatedKey', description: 'The new key, the key itself, and the former one.' }),
  problems: ['permission_denied', 'fresh_sign_in_required', 'key_ended'],
  examples: examples.rotateKey,
})

/** An addition: ends a key. */
export const revokeKey = contract({
  ...calls.revokeKey,
  evenIfClosed: true,
  summary: 'Revoke an API key',
  permission: 'any',
  description:
    'From its next request on it opens nothing. Members revoke their own, Admins and their keys all, and any key itself. One that was revoked before stays so. A key that followed it by rotation goes on, and is named in `goesOn`, unless `following=true` says that it ends, too.',
  params,
  query: z.object({
    following: switchText(
      "Whether the keys that followed it by rotation end with it: where somebody else may have rotated it. A key that is no Admin's ends itself alone.",
    ),
  }),
  body: emptyBody,
  output: KeyRevoked,
  problems: ['fresh_sign_in_required'],
  examples: examples.revokeKey,
})

/** For secret scanners, and whoever finds a key. Not part of the published API: docs/keys.md describes it. */
export const revokeLeakedKeys = contract({
  ...calls.revokeLeakedKeys,
  evenIfClosed: true,
  summary: 'Revoke keys that were found where they should not be',
  permission: 'none',
  bodyLimit: 512 * 1024,
  description:
    'Whoever can show a key may end it. The answer is the same whether there is such a key or not. It takes what the secret scanning of GitHub sends its partners.',
  body: z
    .array(z.object({ token: z.string().max(1000) }))
    .min(1, 'is empty')
    .max(1000, 'must have at most 1,000 keys'),
  output: z.object({ received: z.int().meta({ description: 'How many were sent.' }) }),
})
