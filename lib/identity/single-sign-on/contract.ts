import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import { signOnRoutes } from '../routes.ts'
import * as examples from './examples.ts'

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
  .max(20, 'has too many entries')

/** Mapping from a value of a claim to a role or a billing profile. */
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
  .max(20, 'has too many entries')
  .meta({ description: 'What is asked for beside `openid`. `email` and `profile`, unless told.' })
const verifiedClaim = text(100).meta({
  description: 'Claim for a verified email address. By default `email_verified`.',
})
const joinRoles = Roles.nullable().meta({
  description:
    'The roles of those who become members by their first sign-in; they see all billing profiles unless mappings say others. `null`: no one becomes a member.',
})
const mappings = z
  .array(Mapping)
  .max(200, 'must have at most 200')
  .meta({ description: 'Roles and billing profiles that claims set at each sign-in.' })

const NewProvider = z
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

const Provider = z
  .object({
    id: z.string().meta({ description: 'Names the identity provider.' }),
    name: z.string().meta({ description: 'As it is told from others here.' }),
    issuer: z.string().meta({ description: 'The address of the issuer.' }),
    clientId: z.string().meta({ description: 'The id of the client there.' }),
    state: z.enum(['on', 'off']).meta({ description: '`off`: no one can sign in with it.' }),
    scopes: z.array(z.string()).meta({ description: 'What is asked for beside `openid`.' }),
    verifiedClaim: z.string().meta({ description: 'Claim for a verified email address.' }),
    joinRoles: z.array(z.enum(ROLES)).nullable().meta({
      description:
        'The roles of those who become members by their first sign-in. `null`: no one becomes a member.',
    }),
    mappings: z.array(Mapping).meta({ description: 'What claims set at each sign-in.' }),
    redirectUri: z.string().meta({ description: 'Where the issuer has to lead back to.' }),
    logoutUri: z.string().meta({
      description: 'Where the issuer may tell that a session there has ended (back-channel logout).',
    }),
    lastSignInTime: z.int().optional().meta({
      description: 'Epoch time in milliseconds of the last sign-in by it. Absent if no one has signed in.',
    }),
  })
  .meta({ id: 'IdentityProvider', description: 'Where people of the customer sign in.' })

const Domain = z
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

export type Provider = z.output<typeof Provider>
export type Domain = z.output<typeof Domain>
export type SignOn = z.output<typeof SignOn>

const permission = 'members-manager'
const BY_WHOM =
  'For a signed-in Admin who sees all billing profiles and proved who they are within 10 minutes, and for no key: an identity provider can sign in as any member.'
const problems = ['permission_denied', 'fresh_sign_in_required'] as const
const LAST_SIGN_IN_METHOD = 'Where that would leave no Admin a way in: 409 `last_way_in`.'

const SignOn = z
  .object({
    passwords: z.enum(['allowed', 'refused']).meta({
      description: '`refused`: members can sign in only by single sign-on.',
    }),
    providers: z.array(Provider).meta({ description: 'By name.' }),
    domains: z.array(Domain).meta({ description: 'By name.' }),
  })
  .meta({ id: 'SignOn', description: 'How people of the customer sign in at their own company.' })

/** Reads the settings of single sign-on. An addition to the specified API. */
export const readSignOn = contract({
  ...signOnRoutes.readSignOn,
  summary: 'Read how people sign in by single sign-on',
  permission,
  description: 'Identity providers, without their secrets, and domains of mail addresses.',
  output: SignOn,
  examples: examples.readSignOn,
})

/** Adds an identity provider. An addition to the specified API. */
export const addIdentityProvider = contract({
  ...signOnRoutes.addIdentityProvider,
  summary: 'Add an identity provider',
  permission,
  description: `Its issuer is asked for its discovery document first: 422 \`issuer_unfit\` says what is wrong. Client and secret are tried by the first sign-in. ${BY_WHOM}`,
  body: NewProvider,
  output: Provider,
  problems: [...problems, 'issuer_unfit', 'provider_exists'],
  examples: examples.addIdentityProvider,
})

const params = z.object({
  provider_id: z.string().min(1).max(100).meta({ description: 'The `id` of an identity provider.' }),
})

/** Changes a provider's settings. An addition to the specified API. */
export const changeIdentityProvider = contract({
  ...signOnRoutes.changeIdentityProvider,
  summary: 'Change an identity provider',
  permission,
  description: `What is named changes, and it is on from then on. With another issuer or client, members are known there by their next sign-in anew, and the sessions that it opened end. ${LAST_SIGN_IN_METHOD} ${BY_WHOM}`,
  params,
  body: ProviderChange,
  output: Provider,
  problems: [...problems, 'issuer_unfit', 'last_way_in'],
  examples: examples.changeIdentityProvider,
})

/** Removes a provider, by which no member can sign in any more. An addition to the specified API. */
export const removeIdentityProvider = contract({
  ...signOnRoutes.removeIdentityProvider,
  summary: 'Remove an identity provider',
  permission,
  description: `It goes with its domains and with who its people are there, and the sessions that it opened end. ${LAST_SIGN_IN_METHOD} ${BY_WHOM}`,
  params,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'IdentityProviderRemoved', description: 'There is no such provider any more.' }),
  problems: [...problems, 'last_way_in'],
  examples: examples.removeIdentityProvider,
})

/** Adds a domain, whose addresses sign in by the provider. An addition to the specified API. */
export const addSignOnDomain = contract({
  ...signOnRoutes.addSignOnDomain,
  summary: 'Add a domain of mail addresses',
  permission,
  description: `It counts once it is proven. One that is there already goes to this provider, as proven as it was. ${LAST_SIGN_IN_METHOD} ${BY_WHOM}`,
  body: z
    .strictObject({
      domain: z.string().min(1).max(300).meta({ description: 'What follows the @.' }),
      providerId: z.string().min(1).max(100).meta({ description: 'Where its people sign in.' }),
    })
    .meta({ id: 'NewSignOnDomain', description: 'A domain, and where its people sign in.' }),
  output: Domain,
  problems: [...problems, 'last_way_in'],
  examples: examples.addSignOnDomain,
})

const ofDomain = z.object({
  domain: z.string().min(1).max(300).meta({ description: 'A domain that was added.' }),
})

/** Checks the record of a domain. An addition to the specified API. */
export const checkSignOnDomain = contract({
  ...signOnRoutes.checkSignOnDomain,
  summary: 'Look for the record of a domain in the DNS',
  permission,
  description: `Where it is found the domain is yours from then on. Where it is not: 409 \`domain_not_proven\`. One that another customer has proven: 409 \`domain_taken\`. ${BY_WHOM}`,
  params: ofDomain,
  body: emptyBody,
  output: Domain,
  problems: [...problems, 'domain_not_proven', 'domain_taken'],
  examples: examples.checkSignOnDomain,
})

/** Removes a domain, whose addresses sign in by no provider any more. An addition to the specified API. */
export const removeSignOnDomain = contract({
  ...signOnRoutes.removeSignOnDomain,
  summary: 'Remove a domain of mail addresses',
  permission,
  description: `Its people sign in by single sign-on no more; sessions that are open go on. ${LAST_SIGN_IN_METHOD} ${BY_WHOM}`,
  params: ofDomain,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'SignOnDomainRemoved', description: 'There is no such domain any more.' }),
  problems: [...problems, 'last_way_in'],
  examples: examples.removeSignOnDomain,
})

/** Turns sign-in by password on or off. An addition to the specified API. */
export const setPasswordSignIn = contract({
  ...signOnRoutes.setPasswordSignIn,
  summary: 'Turn sign-in by password off or on',
  permission,
  description: `Off: passwords, links for them and passkeys open nothing here, and the sessions that single sign-on has not opened end. An Admin turns them off whose own session was opened by single sign-on, so that it is certain that it works: else 409 \`last_way_in\`. API keys go on. ${BY_WHOM}`,
  body: z
    .strictObject({ allowed: z.boolean().meta({ description: 'Whether passwords let members in.' }) })
    .meta({ id: 'PasswordSignIn', description: 'Whether passwords let members in.' }),
  output: SignOn,
  problems: [...problems, 'last_way_in'],
  examples: examples.setPasswordSignIn,
})
