import { z } from 'zod'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { type Filter, formatFilter } from './format-filter.ts'

export type { Filter }

type Closed<Key extends string> = Partial<Record<Key, readonly string[]>>

const MAX_LENGTH = 1000
const MAX_ALTERNATIVES = 50

/** Description of the grammar in parameters. */
export const FILTER_GRAMMAR = [
  'Conditions `key:value` are joined by `|`.',
  'A value without a key takes the key before it: `key:a|b`.',
  'Values of one key mean OR, different keys AND.',
  'Values may be in one pair of square brackets: `key:[a|b]`.',
  'A key that is not known is refused.',
  'Raw and percent-encoded forms are the same.',
  `At most ${MAX_LENGTH.toLocaleString('en')} characters and ${MAX_ALTERNATIVES} values.`,
].join(' ')

/**
 * Returns the schema of the filter grammar of spec 4.1 and 4.3: `key:value` conditions joined by `|`; a
 * part without a key belongs to the previous key; values may be enclosed in one pair of square brackets. Conditions on
 * one key are joined by OR, different keys by AND. An unknown value selects nothing; where the values of a key are a
 * closed set, it is 400 `filter_invalid`, which lists the set. The customer is never part of the filter.
 * @param closed values of keys with a closed set; they are matched case-insensitively
 */
export function filterText<const Key extends string>(keys: readonly Key[], closed: Closed<Key> = {}) {
  const filter = z.partialRecord(z.enum(keys), z.array(z.string()))
  return z
    .codec(z.string(), filter as unknown as z.ZodType<Filter<Key>>, {
      decode: (text, context) => {
        const read = parseFilter(text, keys)
        const result = typeof read === 'string' ? read : asClosed(read, closed)
        if (typeof result !== 'string') return result
        context.issues.push({ code: 'custom', input: text, message: result, params: { filter: true } })
        return z.NEVER
      },
      encode: (decoded) => formatFilter(decoded as Filter<string>),
    })
    .meta({ json: { type: 'string', minLength: 1, maxLength: MAX_LENGTH } } satisfies ParameterMeta)
}

/**
 * Returns the schema of an optional filter with these keys, described with the grammar.
 * @param example example as a client writes it
 */
export function optionalFilter<const Key extends string>(keys: readonly Key[], example: string) {
  const description = `As in \`${example}\`. Keys: ${keys.join(', ')}. ${FILTER_GRAMMAR}`
  return filterText(keys).optional().meta({ description })
}

/** Parses a filter; returns the reason as text if it is invalid. */
function parseFilter<Key extends string>(text: string, keys: readonly Key[]): Filter<Key> | string {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  const parts = text.split('|')
  if (parts.length > MAX_ALTERNATIVES) return `must have at most ${MAX_ALTERNATIVES} alternatives`
  const filter: Filter<Key> = {}
  let key: string | undefined
  let inBrackets = false
  for (const part of parts) {
    const colon = inBrackets ? -1 : part.indexOf(':')
    key = colon < 0 ? key : part.slice(0, colon).trim()
    if (key === undefined) return `must start with a key, as in ${keys[0]}:value`
    const validKey = keys.find((name) => name === key)
    if (!validKey) return `can be of these only: ${keys.join(', ')}`
    const read = unbracket(part.slice(colon + 1).trim(), inBrackets)
    if (!read) return `has a bracket without its partner, or an empty value, after ${key}`
    inBrackets = read.open
    filter[validKey] = [...(filter[validKey] ?? []), read.value]
  }
  return inBrackets ? 'has a bracket that is not closed' : filter
}

/** Returns the filter with the spelling of the closed sets' values, or a text that names an invalid value. */
function asClosed<Key extends string>(filter: Filter<Key>, closed: Closed<Key>): Filter<Key> | string {
  const read = { ...filter }
  for (const [key, values] of Object.entries(closed) as [Key, readonly string[]][]) {
    const closedValues = filter[key]?.map((text) =>
      values.find((value) => value.toLowerCase() === text.toLowerCase()),
    )
    if (closedValues?.includes(undefined)) return `knows these values of ${key} only: ${values.join(', ')}`
    if (closedValues) read[key] = closedValues as string[]
  }
  return read
}

function unbracket(text: string, inside: boolean): { value: string; open: boolean } | undefined {
  const opens = text.startsWith('[')
  const closes = text.endsWith(']')
  if (opens && inside) return undefined
  if (closes && !opens && !inside) return undefined
  const value = text.slice(opens ? 1 : 0, closes ? -1 : undefined).trim()
  return value ? { value, open: (opens || inside) && !closes } : undefined
}
