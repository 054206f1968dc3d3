import { z } from 'zod'
import { Assertion } from '../factors/shapes.ts'
import { PASSWORD_MAX } from '../passwords/rules.ts'

/** What proves that it is the member who sits there: by `by` the ways are told apart. */
export const Proof = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('password'), password: z.string().min(1).max(PASSWORD_MAX) }),
  z.strictObject({ by: z.literal('code'), code: z.string().min(1).max(100) }),
  z.strictObject({ by: z.literal('passkey'), passkey: Assertion }),
])

export type Proof = z.output<typeof Proof>
