import { z } from 'zod'

// What authenticators answer, as browsers write it (WebAuthn level 3, toJSON). What is in it is checked by the library.

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

/** A passkey's answer to a challenge. */
export const Assertion = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: z.string().max(200).nullish(),
  }),
})

/** A passkey that was made. */
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

/** A factor that is set up: an app whose secret a code confirms, or a passkey that was just made. */
export const NewFactor = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('totp'), name, token: z.string().max(1000), code: z.string().max(40) }),
  z.strictObject({ kind: z.literal('passkey'), name, passkey: Attestation }),
])

export type NewFactor = z.output<typeof NewFactor>

/** What proves a factor: a code of an app, a recovery code, or a passkey's answer. */
export type Given = { code: string } | { passkey: Assertion }
