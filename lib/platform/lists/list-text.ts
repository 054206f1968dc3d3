import { z } from 'zod'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { formatList } from './filter-text.ts'

/**
 * Several values in one parameter, as in `a|b`: a `|` or `%` within a value is percent-encoded once more, so that
 * any text can be one. A value that is given twice counts once.
 */
export function listText({ most, longest }: { most: number; longest: number }) {
  return z
    .codec(z.string(), z.array(z.string()), {
      decode: (text, context) => {
        const values = text.split('|').map(decoded)
        const whole = values.filter((value) => value !== undefined && value !== '' && !value.includes('\0'))
        const message =
          text.length > longest
            ? `must have at most ${longest} characters`
            : values.length > most
              ? `must name at most ${most}`
              : whole.length < values.length
                ? 'has a part that is empty, or is not percent-encoded'
                : undefined
        if (message === undefined) return [...new Set(whole as string[])]
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: (values) => formatList(values),
    })
    .meta({ json: { type: 'string', minLength: 1, maxLength: longest } } satisfies ParameterMeta)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
