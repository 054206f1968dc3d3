import { z } from 'zod'

// A query holds text. Each of these reads one text strictly, and says by `json` what it stands for: the API's
// description declares numbers and booleans, and HTTP writes them as text.

/** What a parameter is in the API's description, where its text stands for something else. */
export type ParameterMeta = { json?: { type: 'integer' | 'boolean' | 'string'; [keyword: string]: unknown } }

/** Text to a whole number within bounds; `max` clamps when `clamp` is set. */
export function integerText(min: number, max: number, clamp = false) {
  // What is clamped is not refused, so that a client may send it.
  const end = clamp ? {} : max < Number.MAX_SAFE_INTEGER ? { maximum: max } : { format: 'int64' }
  return z
    .codec(z.string().regex(/^\d{1,100}$/, `must be a whole number of ${min} or more`), z.int(), {
      decode: (value, context) => {
        const number = Number(value)
        if (number >= min && number <= max) return number
        if (clamp && number > max) return max
        context.issues.push({ code: 'custom', input: value, message: `must be from ${min} to ${max}` })
        return z.NEVER
      },
      encode: (number) => String(number),
    })
    .meta({ json: { type: 'integer', minimum: min, ...end } } satisfies ParameterMeta)
}

/** A switch that is off unless told: the text `true` or `false`, and nothing else. */
export function switchText(description: string) {
  const json = { type: 'boolean', default: false } as const
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .meta({ description, json } satisfies ParameterMeta & { description: string })
}
