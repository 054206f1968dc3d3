import { z } from 'zod'
import { integerText, type ParameterMeta } from '#lib/platform/api/request.ts'
import { formatList } from './format-filter.ts'

export const DEFAULT_MAX_RESULTS = 50

/** Schema of the number of rows per page: 1 to 250; more is clamped to 250. */
export const maxResults = integerText(1, 250, true)
  .optional()
  .meta({
    description: 'Rows per page: 1 to 250. More is read as 250.',
    json: { type: 'integer', minimum: 1, default: DEFAULT_MAX_RESULTS },
  })

/** Sort key and direction: `totalAmount desc`. */
export type SortSpec<Key extends string> = `${Key} ${'asc' | 'desc'}`

/** Returns the schema of a list's order, as in `orderBy=totalAmount desc`: one of these keys, ascending by default. */
export function sortText<const Key extends string>(keys: readonly Key[]) {
  const sorts = keys.flatMap((key): SortSpec<Key>[] => [`${key} asc`, `${key} desc`])
  const pattern = `^\\s*(${keys.join('|')})(\\s+(asc|desc))?\\s*$`
  const message = `must be one of ${keys.join(', ')}, and then asc, desc or nothing`
  return z
    .codec(z.string(), z.enum(sorts) as unknown as z.ZodType<SortSpec<Key>>, {
      decode: (text, context) => {
        const [key, direction = 'asc', ...rest] = text.trim().split(/\s+/)
        const sort = sorts.find((candidate) => candidate === `${key} ${direction}`)
        if (sort && rest.length === 0) return sort
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: (sort) => sort as SortSpec<Key>,
    })
    .meta({ json: { type: 'string', pattern } } satisfies ParameterMeta)
}

/**
 * Returns the schema of several values in one parameter, as in `a|b`: a `|` or `%` within a value is percent-encoded
 * once more, so that any text can be a value. Duplicates count once.
 */
export function listText({ maxValues, maxLength }: { maxValues: number; maxLength: number }) {
  return z
    .codec(z.string(), z.array(z.string()), {
      decode: (text, context) => {
        const values = text.split('|').map(decoded)
        const whole = values.filter((value) => value !== undefined && value !== '' && !value.includes('\0'))
        const message =
          text.length > maxLength
            ? `must have at most ${maxLength} characters`
            : values.length > maxValues
              ? `must name at most ${maxValues}`
              : whole.length < values.length
                ? 'has a part that is empty, or is not percent-encoded'
                : undefined
        if (message === undefined) return [...new Set(whole as string[])]
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: (values) => formatList(values),
    })
    .meta({ json: { type: 'string', minLength: 1, maxLength } } satisfies ParameterMeta)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the schema of an optional exact decimal as text. Credit is negative.
 * @param selection rows that the bound selects: `invoices whose total is this much or more`
 */
export function amountText(selection: string) {
  return z
    .string()
    .regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'must be a decimal number, as in 1250.50')
    .optional()
    .meta({ description: `Exact decimal, as in \`1250.50\`: ${selection}.` })
}

// Public clients send milliseconds where the spec has seconds: no date of ours is that many seconds away.
const MIN_MILLISECONDS = 100_000_000_000

/**
 * Returns the schema of an optional time: Unix seconds, or milliseconds from 100,000,000,000 on, converted to whole
 * milliseconds.
 * @param selection rows that the bound selects: `changes that were asked for at this time or later`
 * @param rest milliseconds added to whole seconds: 999 if an upper bound includes all of its second
 */
export function unixTime(selection: string, rest = 0) {
  const description = `Unix time: ${selection}. In seconds; a value of 100,000,000,000 or more is read as milliseconds.`
  return z
    .codec(integerText(0, Number.MAX_SAFE_INTEGER), z.int().min(0), {
      decode: (value) => (value >= MIN_MILLISECONDS ? value : value * 1000 + rest),
      encode: (ms) => (ms >= MIN_MILLISECONDS ? ms : Math.floor(ms / 1000)),
    })
    .optional()
    .meta({ description })
}

/**
 * Returns the schemas of a range of times, both inclusive: `min` and `max` with this name. A lower bound above the upper
 * one is valid, and selects nothing.
 * @param rows as in `unixTime`, up to the verb: "changes whose createTime"
 * @param rest as in `unixTime`, of the upper bound
 */
export function timeRange<const Name extends string>(name: Name, rows: string, rest = 0) {
  const end = rest === 0 ? 'is this time or earlier' : 'is in this second or earlier'
  const range = {
    [`min${name}`]: unixTime(`${rows} is this time or later`),
    [`max${name}`]: unixTime(`${rows} ${end}`, rest),
  }
  return range as Record<`min${Name}` | `max${Name}`, ReturnType<typeof unixTime>>
}

/**
 * Returns the schema of a time in answers.
 * @param event the event at that time, for the description
 */
export const timeOf = (event: string) =>
  z.int().meta({ description: `${event}: epoch time in milliseconds.` })
