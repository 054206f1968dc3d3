import { z } from 'zod'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { DEFAULT_DAYS, MOST_DAYS, MOST_RANGES, NAME_MAX, OWNERS, STATUSES } from './rules.ts'

const Role = z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` })

/** Unlike each other, and one at least. */
const Roles = z
  .array(Role)
  .min(1, 'must name a role')
  .max(ROLES.length, 'is too long')
  .refine((roles) => new Set(roles).size === roles.length, 'names a role twice')

/** Text of one line: it stands in tables, mails and the history. */
export const KeyName = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(NAME_MAX, `must have at most ${NAME_MAX} characters`)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line')

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

export const KeyRevoked = z
  .object({
    revoked: z.literal(true).meta({ description: 'Always true.' }),
    goesOn: z.string().optional().meta({
      description: 'Id of the key that followed it and can be used. Absent where there is none.',
    }),
  })
  .meta({ id: 'KeyRevoked', description: 'The key is revoked.' })

/** What a member asks for. */
export const NewKey = z.strictObject({
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
    .max(MOST_DAYS)
    .nullable()
    .optional()
    .meta({
      description: `After how many days it ends; ${DEFAULT_DAYS} where it is left out. At most 365, unless the operator has set another number. \`null\`: never, where the operator allows that.`,
    }),
  addresses: z
    .array(z.string().max(60))
    .min(1, 'must name a network, or be left out')
    .max(MOST_RANGES, `must have at most ${MOST_RANGES} networks`)
    .optional()
    .meta({
      description:
        'Networks from which alone it can be used: `192.0.2.0/24`, `2001:db8::/32`, or an address. Elsewhere it is answered as one that is not valid: 401.',
    }),
})
