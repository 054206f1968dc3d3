import { z } from 'zod'
import { contract } from '#lib/api/contract.ts'
import { calls } from './calls.ts'

/** Public clients call it first, to see whether their key works and whose it is. */
export const validateKey = contract({
  ...calls.validateKey,
  summary: 'Whose key is this',
  permission: 'any',
  output: z.object({
    domain: z.string().meta({ description: "The customer's domain." }),
    email: z.string().meta({ description: "The issuing member's address, else the customer's contact." }),
  }),
  problems: [],
})

// The browser must know them too, so they can't come from password.ts.
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 200

/** The console's own call: a member changes their password. Not part of the published API. */
export const changePassword = contract({
  ...calls.changePassword,
  summary: "Change the signed-in member's own password",
  permission: 'any',
  body: z.strictObject({
    currentPassword: z.string().min(1).max(PASSWORD_MAX),
    newPassword: z
      .string()
      .min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`)
      .max(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`),
  }),
  output: z.object({ changed: z.boolean() }),
  problems: ['invalid_request', 'permission_denied'],
})
