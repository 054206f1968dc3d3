import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { accessRoutes } from '../routes.ts'
import { Assertion } from '../second-factors/contract.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from './passwords/rules.ts'

/** Proof of the member's identity, discriminated by `by`. */
export const Credential = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('password'), password: z.string().min(1).max(PASSWORD_MAX) }),
  z.strictObject({ by: z.literal('code'), code: z.string().min(1).max(100) }),
  z.strictObject({ by: z.literal('passkey'), passkey: Assertion }),
])

export type Credential = z.output<typeof Credential>

const newPassword = z
  .string()
  .min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`)
  .max(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`)

/** Changes the member's password. Internal to the console, not part of the published API. */
export const changePassword = contract({
  ...accessRoutes.changePassword,
  evenIfClosed: true,
  summary: "Change the signed-in member's own password",
  permission: 'any',
  description:
    "It ends the member's other sessions. The new password may not be a common one, one character repeated, little more than the member's name, address or domain, or the present one. Who names a wrong present password too often in a session has to wait: 429 `rate_limited`.",
  body: z.strictObject({ currentPassword: z.string().min(1).max(PASSWORD_MAX), newPassword }),
  output: z.object({ changed: z.boolean().meta({ description: 'Always true.' }) }),
  problems: ['permission_denied', 'rate_limited'],
})

/**
 * Lists the ways in which a member can confirm their identity. Internal to the console, not part of the published API.
 */
export const readWays = contract({
  ...accessRoutes.readWays,
  summary: 'By what the signed-in member can prove that it is they',
  permission: 'any',
  description:
    'Asked when a proof is wanted. A way that is false is refused; one that is true may still lack a factor that is set up.',
  output: z.object({
    password: z.boolean().meta({ description: 'A password opens their membership.' }),
    factor: z.boolean().meta({ description: 'So does two-step verification, if set up.' }),
    signOn: z.boolean().meta({ description: 'An identity provider has opened this session.' }),
  }),
  problems: ['permission_denied'],
})

/** Confirms the member's identity again. Internal to the console, not part of the published API. */
export const proveSession = contract({
  ...accessRoutes.proveSession,
  evenIfClosed: true,
  summary: 'Confirm that it is the signed-in member who asks',
  permission: 'any',
  description:
    'Changes of keys and members need a proof in the same session that is at most 10 minutes old, and answer 403 `fresh_sign_in_required` without one. A sign-in is such a proof, and this call is one. Who names a wrong password too often in a session has to wait: 429 `rate_limited`.',
  body: Credential,
  output: z.object({ proven: z.literal(true).meta({ description: 'Always true.' }) }),
  problems: ['permission_denied', 'rate_limited'],
})

/**
 * Accepts an invitation by its link, or sets a new password. Internal to the console, not part of the published API.
 */
export const redeemLink = contract({
  ...accessRoutes.redeemLink,
  evenIfClosed: true,
  summary: 'Redeem a link of an invitation, or for a new password',
  permission: 'none',
  description:
    'Works once. With a new password, which the rules of all passwords hold for; an invitation also with one that its person has here already. It does not sign in.',
  body: z.discriminatedUnion('isNew', [
    z.strictObject({ isNew: z.literal(true), secret: z.string().max(100), password: newPassword }),
    z.strictObject({
      isNew: z.literal(false),
      secret: z.string().max(100),
      password: z.string().min(1).max(PASSWORD_MAX),
    }),
  ]),
  output: z.object({ email: z.string().meta({ description: 'The address to sign in with.' }) }),
  problems: ['not_found', 'rate_limited'],
})

/** Requests a link for a forgotten password. Internal to the console, not part of the published API. */
export const askRecovery = contract({
  ...accessRoutes.askRecovery,
  evenIfClosed: true,
  summary: 'Ask for a mail with a link that sets a new password',
  permission: 'none',
  description:
    'The answer is the same whether anybody has the address or not. A link lasts for 30 minutes, and works once; its use withdraws the others.',
  body: z.strictObject({ email: z.email('is not an email address').max(254) }),
  output: z.object({ asked: z.boolean().meta({ description: 'Always true.' }) }),
  problems: ['rate_limited', 'not_found'],
})
