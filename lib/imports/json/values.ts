import { z } from 'zod'
import { decimalError } from '#lib/imports/value-errors.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { textError } from '#lib/platform/values/text.ts'
import { timeOf } from '../times.ts'

/** Schema of stored text: not empty, without control characters. */
export function text(longest = 300) {
  return z
    .string()
    .min(1, 'is empty')
    .check(({ value, issues }) => {
      const message = textError(value, longest)
      if (message) issues.push({ code: 'custom', input: value, message })
    })
}

/** Schema of an identifying text, without surrounding space, which would make it another text. */
export function name(longest = 300) {
  return z.string().trim().pipe(text(longest))
}

/** Schema of optional text; null and empty are equal. */
export function optionalText(longest = 300) {
  return z
    .union([z.literal('').transform(() => null), text(longest)])
    .nullish()
    .transform((value) => value ?? null)
}

/** Schema of an optional web address. Any other scheme could hide a script behind a link. */
export const httpUrl = z
  .union(
    [z.literal('').transform(() => null), z.url({ protocol: /^https?$/ }).max(2000)],
    'is no web address',
  )
  .nullish()
  .transform((value) => value ?? null)

/** An exact decimal, as a JSON number or as text, to plain decimal text. */
export const amount = z.string('is no amount').transform((value, context) => {
  const decimal = decimalOf(value)
  if (!decimal) context.issues.push({ code: 'custom', input: value, message: decimalError(value) })
  return decimal?.toFixed() ?? z.NEVER
})

/** Time as ISO 8601, in UTC by default, or as epoch milliseconds. */
export const time = z.union([z.string(), z.number()], 'is no time').transform((value, context) => {
  const normalized = /^\d{12,14}$/.test(String(value)) ? dateText(Number(value)) : String(value)
  const epochMs = timeOf(normalized)
  if (epochMs === undefined) context.issues.push({ code: 'custom', input: value, message: 'is no time' })
  return epochMs === undefined ? z.NEVER : new Date(epochMs)
})

function dateText(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
