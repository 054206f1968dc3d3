import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Provider = z.output<typeof shapes.Provider>
export type Domain = z.output<typeof shapes.Domain>
export type SignOn = z.output<typeof SignOn>

const permission = 'members-manager'
const BY_WHOM =
  'For a signed-in Admin who sees all billing profiles and proved who they are within 10 minutes, and for no key: whoever runs an identity provider can come in as any member.'
const problems = ['permission_denied', 'fresh_sign_in_required'] as const
const WAY_IN = 'Where that would leave no Admin a way in: 409 `last_way_in`.'

const SignOn = z
  .object({
    passwords: z.enum(['allowed', 'refused']).meta({
      description: '`refused`: nobody signs in by password, only by single sign-on.',
    }),
    providers: z.array(shapes.Provider).meta({ description: 'By name.' }),
    domains: z.array(shapes.Domain).meta({ description: 'By name.' }),
  })
  .meta({ id: 'SignOn', description: 'How people of the customer sign in at their own company.' })

/** An addition: what there is of single sign-on. */
export const readSignOn = contract({
  ...calls.readSignOn,
  summary: 'Read how people sign in by single sign-on',
  permission,
  description: 'Identity providers, without their secrets, and domains of mail addresses.',
  output: SignOn,
  examples: examples.readSignOn,
})

/** An addition: where people sign in. */
export const addIdentityProvider = contract({
  ...calls.addIdentityProvider,
  summary: 'Add an identity provider',
  permission,
  description: `Its issuer is asked for its discovery document first: 422 \`issuer_unfit\` says what is wrong. Client and secret are tried by the first sign-in. ${BY_WHOM}`,
  body: shapes.NewProvider,
  output: shapes.Provider,
  problems: [...problems, 'issuer_unfit', 'provider_exists'],
  examples: examples.addIdentityProvider,
})

const params = z.object({
  provider_id: z.string().min(1).max(100).meta({ description: 'The `id` of an identity provider.' }),
})

/** An addition: what is agreed with it. */
export const changeIdentityProvider = contract({
  ...calls.changeIdentityProvider,
  summary: 'Change an identity provider',
  permission,
  description: `What is named changes, and it is on from then on. With another issuer or client, members are known there by their next sign-in anew, and the sessions that it opened end. ${WAY_IN} ${BY_WHOM}`,
  params,
  body: shapes.ProviderChange,
  output: shapes.Provider,
  problems: [...problems, 'issuer_unfit', 'last_way_in'],
  examples: examples.changeIdentityProvider,
})

/** An addition: nobody signs in by it any more. */
export const removeIdentityProvider = contract({
  ...calls.removeIdentityProvider,
  summary: 'Remove an identity provider',
  permission,
  description: `It goes with its domains and with who its people are there, and the sessions that it opened end. ${WAY_IN} ${BY_WHOM}`,
  params,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'IdentityProviderRemoved', description: 'There is no such provider any more.' }),
  problems: [...problems, 'last_way_in'],
  examples: examples.removeIdentityProvider,
})

/** An addition: whose addresses sign in there. */
export const addSignOnDomain = contract({
  ...calls.addSignOnDomain,
  summary: 'Add a domain of mail addresses',
  permission,
  description: `It counts once it is proven. One that is there already goes to this provider, as proven as it was. ${WAY_IN} ${BY_WHOM}`,
  body: z
    .strictObject({
      domain: z.string().min(1).max(300).meta({ description: 'What follows the @.' }),
      providerId: z.string().min(1).max(100).meta({ description: 'Where its people sign in.' }),
    })
    .meta({ id: 'NewSignOnDomain', description: 'A domain, and where its people sign in.' }),
  output: shapes.Domain,
  problems: [...problems, 'last_way_in'],
  examples: examples.addSignOnDomain,
})

const ofDomain = z.object({
  domain: z.string().min(1).max(300).meta({ description: 'A domain that was added.' }),
})

/** An addition: looks whether the record is there. */
export const checkSignOnDomain = contract({
  ...calls.checkSignOnDomain,
  summary: 'Look for the record of a domain in the DNS',
  permission,
  description: `Where it is found the domain is yours from then on. Where it is not: 409 \`domain_not_proven\`. One that another customer has proven: 409 \`domain_taken\`. ${BY_WHOM}`,
  params: ofDomain,
  body: emptyBody,
  output: shapes.Domain,
  problems: [...problems, 'domain_not_proven', 'domain_taken'],
  examples: examples.checkSignOnDomain,
})

/** An addition: its people sign in by no provider. */
export const removeSignOnDomain = contract({
  ...calls.removeSignOnDomain,
  summary: 'Remove a domain of mail addresses',
  permission,
  description: `Its people sign in by single sign-on no more; sessions that are open go on. ${WAY_IN} ${BY_WHOM}`,
  params: ofDomain,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'SignOnDomainRemoved', description: 'There is no such domain any more.' }),
  problems: [...problems, 'last_way_in'],
  examples: examples.removeSignOnDomain,
})

/** An addition: whether passwords let anybody in. */
export const setPasswordSignIn = contract({
  ...calls.setPasswordSignIn,
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
