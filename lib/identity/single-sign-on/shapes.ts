import { z } from 'zod'
import { ROLES } from '#lib/platform/caller/rules.ts'

const isPlain = (text: string) => !/\p{Cc}/u.test(text)
const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(most, `must have at most ${most} characters`)
    .refine(isPlain, 'has a control character')

const Roles = z
  .array(z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }))
  .max(20, 'names too many')

/** What a value of a claim gives. */
const Mapping = z
  .strictObject({
    claim: text(100).meta({
      description:
        'A claim of the ID token, such as `groups`; `realm_access.roles` is a claim within another one.',
    }),
    value: text(200).meta({ description: 'What the claim is, or has among others.' }),
    role: z.enum(ROLES).optional().meta({ description: 'The role that it gives.' }),
    billingProfile: z.string().min(1).max(300).optional().meta({
      description: 'The id of the billing profile that it gives. Each mapping gives one of both.',
    }),
  })
  .refine(({ role, billingProfile }) => (role === undefined) !== (billingProfile === undefined), {
    error: 'must give a role or a billing profile, and not both',
  })
  .meta({ id: 'ClaimMapping', description: 'What a claim gives to those who sign in.' })

export type WireMapping = z.output<typeof Mapping>

const issuer = text(500).meta({
  description: 'The address of the issuer, letter by letter as its discovery document calls it.',
})
const clientId = text(300).meta({ description: 'The id of the client that was made there for this console.' })
const clientSecret = text(1000).meta({
  description: "The client's secret. It is sealed, and no answer ever has it.",
})
const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/, 'is no scope'))
  .max(20, 'names too many')
  .meta({ description: 'What is asked for beside `openid`. `email` and `profile`, unless told.' })
const verifiedClaim = text(100).meta({
  description: 'The claim that says that the address is verified. `email_verified`, unless told.',
})
const joinRoles = Roles.nullable().meta({
  description:
    'The roles of those who become members by their first sign-in; they see all billing profiles unless mappings say others. `null`: nobody does.',
})
const mappings = z
  .array(Mapping)
  .max(200, 'must have at most 200')
  .meta({ description: 'Roles and billing profiles that claims set at each sign-in.' })

export const NewProvider = z
  .strictObject({
    name: text(60).meta({ description: 'As it is told from others here. It stays.' }),
    issuer,
    clientId,
    clientSecret,
    scopes: scopes.optional(),
    verifiedClaim: verifiedClaim.optional(),
    joinRoles: joinRoles.optional(),
    mappings: mappings.optional(),
  })
  .meta({
    id: 'NewIdentityProvider',
    description: 'An issuer of OpenID Connect, and what is agreed with it.',
  })

export const ProviderChange = z
  .strictObject({
    issuer: issuer.optional(),
    clientId: clientId.optional(),
    clientSecret: clientSecret.optional(),
    scopes: scopes.optional(),
    verifiedClaim: verifiedClaim.optional(),
    joinRoles: joinRoles.optional(),
    mappings: mappings.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name what is to change')
  .meta({ id: 'IdentityProviderChange', description: 'What is to change; what is not named stays.' })

export const Provider = z
  .object({
    id: z.string().meta({ description: 'Names the identity provider.' }),
    name: z.string().meta({ description: 'As it is told from others here.' }),
    issuer: z.string().meta({ description: 'The address of the issuer.' }),
    clientId: z.string().meta({ description: 'The id of the client there.' }),
    state: z.enum(['on', 'off']).meta({ description: '`off`: nobody signs in by it.' }),
    scopes: z.array(z.string()).meta({ description: 'What is asked for beside `openid`.' }),
    verifiedClaim: z.string().meta({ description: 'The claim that says that the address is verified.' }),
    joinRoles: z.array(z.enum(ROLES)).nullable().meta({
      description: 'The roles of those who become members by their first sign-in. `null`: nobody does.',
    }),
    mappings: z.array(Mapping).meta({ description: 'What claims set at each sign-in.' }),
    redirectUri: z.string().meta({ description: 'Where the issuer has to lead back to.' }),
    logoutUri: z.string().meta({
      description: 'Where the issuer may tell that a session there has ended (back-channel logout).',
    }),
    lastSignInTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of the last sign-in by it. Absent where nobody has signed in.',
    }),
  })
  .meta({ id: 'IdentityProvider', description: 'Where people of the customer sign in.' })

export const Domain = z
  .object({
    domain: z.string().meta({ description: 'What follows the @, in the form that the DNS has.' }),
    providerId: z.string().meta({ description: 'Where its people sign in.' }),
    state: z.enum(['waiting', 'proven']).meta({
      description: '`waiting`: it counts for nothing until the record is found in the DNS.',
    }),
    provenBy: z.enum(['dns', 'operator']).optional().meta({
      description: '`dns`: by the record. `operator`: who knows that it is yours.',
    }),
    provenTime: z.int().optional().meta({ description: 'Epoch time in milliseconds of when it was proven.' }),
    record: z
      .object({
        type: z.literal('TXT').meta({ description: 'Always TXT.' }),
        name: z.string().meta({ description: 'The name of the record, as a whole.' }),
        text: z.string().meta({ description: 'What it has to say.' }),
      })
      .meta({ description: 'The record that proves it.' }),
  })
  .meta({ id: 'SignOnDomain', description: 'A domain of mail addresses, and whether it is proven.' })
