import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ONE_LINE, switchText } from '#lib/platform/api/request.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { keyRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import {
  DEFAULT_DAYS,
  DEFAULT_OVERLAP,
  MAX_DAYS,
  MAX_LEAKED_TOKENS,
  MAX_RANGES,
  NAME_MAX,
  OVERLAPS,
  OWNERS,
  STATES,
  STATUSES,
  WHOSE,
} from './rules.ts'

const Role = z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` })

/** Distinct roles, at least one. */
const Roles = z
  .array(Role)
  .min(1, 'must name a role')
  .max(ROLES.length, 'is too long')
  .refine((roles) => new Set(roles).size === roles.length, 'names a role twice')

/** Text of one line, because names appear in tables, mails and the audit log. */
const KeyName = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(NAME_MAX, `must have at most ${NAME_MAX} characters`)
  .regex(ONE_LINE, 'must be one line')

const time = (what: string) => z.int().meta({ description: `Epoch time in milliseconds of ${what}` })

export const Key = z
  .object({
    id: z.string().meta({ description: 'Names the key. Nothing can be opened with it.' }),
    name: z.string().meta({ description: 'What it is for.' }),
    hint: z.string().meta({ description: 'How the key begins and ends: `lic_AbCd…wxyz`.' }),
    status: z.enum(STATUSES).meta({
      description:
        '`ACTIVE`; `ROTATING`: another one follows it, and it may be used until `expireTime`; `ROTATED`: that time is over; `EXPIRED`; `REVOKED`; `ISSUER_DISABLED`: its issuer is shut out, and so is it.',
    }),
    roles: z.array(Role).meta({
      description:
        'What it was issued with. A key that belongs to a member never opens more than that member may now.',
    }),
    billingProfiles: z.array(z.string()).optional().meta({
      description: 'To whose invoices it is limited. Absent: to those that its owner may see.',
    }),
    owner: z.enum(OWNERS).meta({
      description: '`MEMBER`: it ends with its issuer. `CUSTOMER`: it does not.',
    }),
    issuer: z
      .object({
        id: z.string().meta({ description: 'Id of the member.' }),
        name: z.string().meta({ description: "The member's name." }),
        email: z.string().meta({ description: "The member's address." }),
      })
      .optional()
      .meta({
        id: 'KeyIssuer',
        description: 'The member who issued it. Absent where the reseller’s operator did.',
      }),
    addresses: z.array(z.string()).optional().meta({
      description: 'Networks from which alone it can be used. Absent: from anywhere.',
    }),
    createTime: time('when it was issued.'),
    expireTime: time('its end. Absent: it has none.').optional(),
    revokeTime: time('when it was revoked. Absent: it was not.').optional(),
    lastUseTime: time('its last use, to the minute. Absent: it was never used.').optional(),
    lastUseAddress: z.string().optional().meta({
      description: 'The network address of that use. Absent where it is not known.',
    }),
    isUnused: z.boolean().meta({ description: 'Whether it may be used, and was not for 60 days.' }),
    replacedBy: z.string().optional().meta({ description: 'Id of the key that follows it.' }),
    isCurrent: z.boolean().meta({ description: 'Whether it is the key that asks.' }),
  })
  .meta({ id: 'Key', description: 'What may be seen of an API key: never the key itself.' })

export type Key = z.output<typeof Key>

const KeyRevoked = z
  .object({
    revoked: z.literal(true).meta({ description: 'Always true.' }),
    goesOn: z.string().optional().meta({
      description: 'Id of the key that followed it and can be used. Absent where there is none.',
    }),
  })
  .meta({ id: 'KeyRevoked', description: 'The key is revoked.' })

/** Body of a member's request for a new key. */
const NewKey = z.strictObject({
  name: KeyName.meta({ description: 'What it is for.' }),
  roles: Roles.meta({ description: "Some of the issuer's; an Admin may give any." }),
  billingProfiles: z
    .array(z.string().min(1).max(300))
    .min(1, 'must name a billing profile, or be left out')
    .max(1000, 'is too long')
    .optional()
    .meta({
      description:
        "Whose invoices it sees: some of the issuer's billing profiles. Left out: all of them, as they are at each request.",
    }),
  owner: z.enum(OWNERS).default('MEMBER').meta({
    description:
      '`MEMBER`: it ends with the issuer, and never opens more than they may. `CUSTOMER`, for Admins: it goes on without them.',
  }),
  validDays: z
    .int()
    .min(1)
    .max(MAX_DAYS)
    .nullable()
    .optional()
    .meta({
      description: `After how many days it ends; ${DEFAULT_DAYS} where it is left out. At most 365, unless the operator has set another number. \`null\`: never, where the operator allows that.`,
    }),
  addresses: z
    .array(z.string().max(60))
    .min(1, 'must name a network, or be left out')
    .max(MAX_RANGES, `must have at most ${MAX_RANGES} networks`)
    .optional()
    .meta({
      description:
        'Networks from which alone it can be used: `192.0.2.0/24`, `2001:db8::/32`, or an address. Elsewhere it is answered as one that is not valid: 401.',
    }),
})

const params = z.object({
  key_id: z.string().min(1).max(100).meta({ description: 'The `id` of a key.' }),
})

const Secret = z.string().meta({
  description: 'The key itself. It is shown this once; what is kept of it cannot be turned back into it.',
})

/**
 * Validates a key. Public clients call it first, to find out whether their key works and which customer it belongs to.
 */
export const validateKey = contract({
  ...keyRoutes.validateKey,
  summary: 'Whose key is this',
  permission: 'any',
  description: 'Tells whether a key works, and whose it is. Public clients call it first.',
  output: z
    .object({
      domain: z.string().meta({ description: "The customer's domain." }),
      email: z.string().meta({ description: "The issuing member's address, else the customer's contact." }),
    })
    .meta({ id: 'KeyOwner', description: 'Whose key it is.' }),
  examples: examples.validateKey,
})

/** Lists the keys of the customer. An addition to the specified API. */
export const listKeys = contract({
  ...keyRoutes.listKeys,
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
  output: pageSchema('keys', Key).meta({ id: 'KeyList', description: 'A page of keys.' }),
  problems: ['permission_denied'],
  examples: examples.listKeys,
})

/** Reads one key. An addition to the specified API. */
export const readKey = contract({
  ...keyRoutes.readKey,
  summary: 'Read an API key',
  permission: 'any',
  description: "What the list says of it. Another member's is 404 for who is no Admin.",
  params,
  output: Key,
  examples: examples.readKey,
})

/** Issues a key. An addition to the specified API. */
export const issueKey = contract({
  ...keyRoutes.issueKey,
  summary: 'Issue an API key',
  permission: 'any',
  description:
    'For signed-in members, who prove at most 10 minutes before who they are; a key issues no other. A member cannot give a key more roles or billing profiles than they have: 403. The answer is the only one that has the key itself, so there is no Idempotency-Key: a repeated call makes another key.',
  body: NewKey,
  output: z
    .object({ key: Key, secret: Secret })
    .meta({ id: 'IssuedKey', description: 'A new key, and the key itself.' }),
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.issueKey,
})

/** Renames a key. An addition to the specified API. */
export const renameKey = contract({
  ...keyRoutes.renameKey,
  summary: 'Rename an API key',
  permission: 'any',
  description:
    'Members rename their own, Admins and their keys all; a key of the customer takes an Admin who sees all billing profiles.',
  params,
  body: z.strictObject({ name: KeyName.meta({ description: 'What it is for.' }) }),
  output: Key,
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.renameKey,
})

/** Rotates a key: issues its successor. An addition to the specified API. */
export const rotateKey = contract({
  ...keyRoutes.rotateKey,
  summary: 'Rotate an API key',
  permission: 'any',
  description:
    'Makes a key that inherits name, roles, billing profiles, owner and networks, and is valid for as long as the former was made for; for the most days that are allowed, where the former has no end and keys without one are not allowed any more. The former ends after `overlap`. A member rotates their own, a signed-in Admin who sees all billing profiles also those of the customer, and a key itself. One that has ended, or was rotated before, is 409. A key that rotated itself, or was got so, ten times within an hour waits: 429 `rate_limited`, with `Retry-After`. A repeated call is answered so, too: the key itself is shown once.',
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
    .object({ key: Key, secret: Secret, former: Key })
    .meta({ id: 'RotatedKey', description: 'The new key, the key itself, and the former one.' }),
  problems: ['permission_denied', 'fresh_sign_in_required', 'key_ended'],
  examples: examples.rotateKey,
})

/** Revokes a key. An addition to the specified API. */
export const revokeKey = contract({
  ...keyRoutes.revokeKey,
  evenIfClosed: true,
  summary: 'Revoke an API key',
  permission: 'any',
  description:
    'From its next request on it opens nothing. Members revoke their own, Admins and their keys all, and any key itself; a key of the customer takes an Admin who sees all billing profiles. One that was revoked before stays so. A key that followed it by rotation goes on, and is named in `goesOn`, unless `following=true` says that it ends, too.',
  params,
  query: z.object({
    following: switchText(
      "Whether the keys that followed it by rotation end with it: if someone else may have rotated it. A key that is no Admin's ends itself alone.",
    ),
  }),
  body: emptyBody,
  output: KeyRevoked,
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.revokeKey,
})

/** For secret scanners and finders of a key. Not part of the published API: docs/use/keys.md describes it. */
export const revokeLeakedKeys = contract({
  ...keyRoutes.revokeLeakedKeys,
  evenIfClosed: true,
  summary: 'Revoke keys that were found where they should not be',
  permission: 'none',
  bodyLimit: 32 * 1024,
  description:
    'Anyone who can show a key may end it. The answer is the same whether there is such a key or not. It takes what the secret scanning of GitHub sends its partners. Each five keys of a report count as a request more of its address.',
  body: z
    .array(z.object({ token: z.string().max(1000) }))
    .min(1, 'is empty')
    .max(MAX_LEAKED_TOKENS, `must have at most ${MAX_LEAKED_TOKENS} keys`),
  output: z.object({ received: z.int().meta({ description: 'How many were sent.' }) }),
  problems: ['rate_limited'],
})
