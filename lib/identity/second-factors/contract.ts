import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { secondFactorRoutes } from '../routes.ts'
import * as examples from './examples.ts'

// Answers of authenticators, as browsers serialize them (WebAuthn level 3, toJSON). The library verifies their content.

const bytes = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^[\w-]+$/, 'is not base64url')

const common = {
  id: bytes.max(2_000),
  rawId: bytes.max(2_000),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(100).nullish(),
  clientExtensionResults: z.record(z.string().max(100), z.unknown()).default({}),
}

/** Assertion: a passkey's answer to a challenge. */
export const Assertion = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: z.string().max(200).nullish(),
  }),
})

/** Attestation: a registered passkey. */
export const Attestation = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
})

export type Assertion = z.output<typeof Assertion>
export type Attestation = z.output<typeof Attestation>

const isPlain = (text: string) => !/\p{Cc}/u.test(text)

const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(60, 'must have at most 60 characters')
  .refine(isPlain, 'has a control character')

/** New factor: an app whose secret is confirmed by a code, or a passkey that was just registered. */
export const NewFactor = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('totp'), name, token: z.string().max(1000), code: z.string().max(40) }),
  z.strictObject({ kind: z.literal('passkey'), name, passkey: Attestation }),
])

export type NewFactor = z.output<typeof NewFactor>

/** Proof of a factor: a code of an app, a recovery code, or a passkey's answer. */
export type FactorCredential = { code: string } | { passkey: Assertion }

const Factor = z.object({
  id: z.string().meta({ description: 'Names the factor.' }),
  kind: z.enum(['totp', 'passkey']).meta({ description: '`totp`: an app that shows codes.' }),
  name: z.string().meta({ description: 'As its owner named it.' }),
  isEverywhere: z.boolean().meta({
    description: 'Whether it counts wherever its owner is a member, or at this customer alone.',
  }),
  createTime: z.int().meta({ description: 'Epoch time in milliseconds of when it was set up.' }),
  lastUseTime: z.int().optional().meta({ description: 'Epoch time in milliseconds of its last use.' }),
})

const Factors = z.object({
  factors: z.array(Factor).meta({ description: 'The oldest first.' }),
  codesLeft: z.int().meta({ description: 'How many recovery codes were not used yet.' }),
  isDemanded: z.boolean().meta({ description: 'Whether the customer demands one of each member.' }),
  passkeys: z.enum(['possible', 'address', 'not-safe']).meta({
    description: 'Why there can be no passkeys: the console has an address for a host, or no https.',
  }),
})

const Demand = z
  .object({ isDemanded: z.boolean().meta({ description: 'Whether each member needs one to sign in.' }) })
  .meta({
    id: 'SecondFactorDemand',
    description: 'Whether two-step verification is required of all members.',
  })

// Calls for a member's own factors are internal to the console; calls for Admins are part of the published API.

/** Passkey that a browser has registered. */
export type MadePasskey = Extract<NewFactor, { kind: 'passkey' }>['passkey']
/** Challenge that a passkey has signed. */
export type Signed = Assertion
export type SecondFactors = z.output<typeof Factors>
export type SecondFactor = z.output<typeof Factor>

/** Options for the browser's own passkey functions, passed through unchanged. */
const options = z
  .record(z.string(), z.unknown())
  .meta({ description: 'What the browser is to be asked for.' })

const BY_WHOM = 'For a signed-in Admin who proved who they are within 10 minutes, and for no key.'

const FACTOR_ERRORS = ['permission_denied', 'fresh_sign_in_required', 'not_found'] as const

export const listFactors = contract({
  ...secondFactorRoutes.listFactors,
  summary: "List the signed-in member's verification methods",
  permission: 'any',
  description: 'Those that count at this customer, with nothing that is secret of them.',
  output: Factors,
  problems: ['permission_denied'],
})

export const beginFactor = contract({
  ...secondFactorRoutes.beginFactor,
  summary: 'Begin to set up a verification method',
  permission: 'any',
  description:
    'For an app, a new secret, also as a QR code, which counts once a code confirms it; for a passkey, what the browser needs to make one.',
  body: z.strictObject({ kind: z.enum(['totp', 'passkey']) }),
  output: z.object({
    app: z
      .object({
        secret: z.string(),
        uri: z.string(),
        qr: z.object({ size: z.int(), path: z.string() }),
        token: z.string(),
      })
      .optional()
      .meta({ description: 'The secret, and how to show it. Absent for a passkey.' }),
    options: options.optional(),
  }),
  problems: [...FACTOR_ERRORS],
})

export const addFactor = contract({
  ...secondFactorRoutes.addFactor,
  summary: 'Set up two-step verification',
  permission: 'any',
  description:
    'From then on sign-in asks for one. Other sessions of the member, in which it was not proven, end.',
  body: NewFactor,
  output: Factors,
  problems: [...FACTOR_ERRORS],
})

export const removeFactor = contract({
  ...secondFactorRoutes.removeFactor,
  summary: 'Remove a verification method',
  permission: 'any',
  description: 'The last one cannot be removed where the customer demands one.',
  params: z.object({ factor_id: z.string().max(100) }),
  body: emptyBody,
  output: Factors,
  problems: [...FACTOR_ERRORS],
})

export const renewCodes = contract({
  ...secondFactorRoutes.renewCodes,
  summary: 'Make new recovery codes',
  permission: 'any',
  description: 'They are told this one time. Those that there were do not work any more.',
  body: emptyBody,
  output: z.object({ codes: z.array(z.string()).meta({ description: 'Each works once.' }) }),
  problems: [...FACTOR_ERRORS],
})

export const askPasskey = contract({
  ...secondFactorRoutes.askPasskey,
  summary: 'Ask for a challenge that a passkey signs to sign in',
  permission: 'none',
  description: 'The answer says nothing of anybody. It counts for five minutes.',
  body: emptyBody,
  output: z.object({ options }),
  problems: ['not_found'],
})

export const confirmPasskey = contract({
  ...secondFactorRoutes.confirmPasskey,
  summary: 'Ask for a challenge that a passkey signs to confirm who is there',
  permission: 'any',
  description: 'For the same session alone.',
  body: emptyBody,
  output: z.object({ options }),
  problems: ['permission_denied', 'not_found'],
})

/** Reads whether second factors are mandatory. An addition to the specified API. */
export const readFactorDemand = contract({
  ...secondFactorRoutes.readFactorDemand,
  summary: 'Read whether two-step verification is required',
  permission: 'members-manager',
  description: 'Whether each member needs two-step verification to sign in to the console.',
  output: Demand,
  examples: examples.readFactorDemand,
})

/** Makes second factors mandatory. An addition to the specified API. */
export const demandFactor = contract({
  ...secondFactorRoutes.demandFactor,
  summary: 'Require two-step verification, or make it optional',
  permission: 'members-manager',
  description: `Who has none sets one up at the next sign-in, before a session opens. ${BY_WHOM}`,
  body: z
    .strictObject({ isDemanded: z.boolean().meta({ description: 'Whether it is, from now on.' }) })
    .meta({ id: 'NewSecondFactorDemand', description: 'Whether two-step verification is to be required.' }),
  output: Demand,
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.demandFactor,
})

/** Resets the second factors of a member who has lost them. An addition to the specified API. */
export const resetFactors = contract({
  ...secondFactorRoutes.resetFactors,
  summary: "Reset a member's two-step verification",
  permission: 'members-manager',
  description: `For a member who lost their methods. These stop working at this customer, the member's sessions end, and the member gets an email. Methods at other customers stay. Members cannot reset their own, or those of a member with more roles or billing profiles: 403. A member without any here is 404. ${BY_WHOM}`,
  params: z.object({
    member_id: z.string().min(1).max(100).meta({ description: 'The `id` of a member.' }),
  }),
  body: emptyBody,
  output: z
    .object({ reset: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'SecondFactorsReset', description: 'They count no more.' }),
  problems: ['permission_denied', 'fresh_sign_in_required', 'not_found'],
  examples: examples.resetFactors,
})
