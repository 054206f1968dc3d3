import 'server-only'
import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { Assertion, NewFactor } from '../../second-factors/contract.ts'
import { REFUSED, type Visitor } from '../sign-in.ts'
import { proveStep, type Stepped, setUpStep } from './factor-step.ts'
import { signInByPasskey } from './passkey.ts'
import { pick } from './pick.ts'

/** What a form of sign-in may hold, all of it text: a password with its address, or one of the steps. */
export const FIELDS = { email: {}, password: {}, customer: {}, passkey: {}, factor: {}, newFactor: {} }

export type Credentials = Partial<Record<keyof typeof FIELDS, string>> | undefined

const Given = z.union([z.strictObject({ code: z.string().max(100) }), z.strictObject({ passkey: Assertion })])

/** The step that a form asks for; undefined where it holds a password. */
export function stepOf(given: Credentials): ((visitor: Visitor) => Promise<Stepped>) | undefined {
  const { customer, passkey, factor, newFactor } = given ?? {}
  if (typeof customer === 'string') return (visitor) => pick(customer, visitor)
  if (typeof passkey === 'string') return read(Assertion, passkey, signInByPasskey)
  if (typeof factor === 'string') return read(Given, factor, proveStep)
  if (typeof newFactor === 'string') return read(NewFactor, newFactor, setUpStep)
  return undefined
}

/** Reads a step from its text. What can't be read is refused, as is what the step finds wrong in it. */
function read<T>(shape: z.ZodType<T>, text: string, step: (given: T, visitor: Visitor) => Promise<Stepped>) {
  return async (visitor: Visitor): Promise<Stepped> => {
    const parsed = shape.safeParse(jsonOf(text))
    if (!parsed.success) return REFUSED
    return step(parsed.data, visitor).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_request') return REFUSED
      throw error
    })
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
