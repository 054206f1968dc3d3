import type { z } from 'zod'
import { quoted } from '#lib/imports/value-errors.ts'
import { ImportError, type ProblemList, problemList } from '../import-error.ts'
import type { SourceText } from '../sources/source.ts'
import { type JsonElement, jsonElements } from './elements.ts'

/** Fields whose numbers are read digit by digit instead of as floats: those of `amount`. */
const AMOUNTS = new Set([
  'price',
  'qty',
  'totalAmount',
  'balanceAmount',
  'netAmount',
  'taxableAmount',
  'taxAmount',
  'taxRate',
])

/** Options for reading objects of files. */
export type JsonReadOptions<T> = {
  read(value: unknown): z.ZodSafeParseResult<T>
  /** Returns the key that is unique across all files, and the group in which it is unique. */
  keyOf(value: T): { group: string; id: string }
  /** Returns the objects that an object contains. */
  unwrap?: (value: unknown) => unknown[]
  /** Called for each object right before it is yielded, with the line on which it begins. */
  onObject?: ((from: SourceText, line: number) => void) | undefined
}

/**
 * Yields the objects of one or several files as `read` parses them, in order. After the first error, yields nothing and
 * reads the rest for its errors only.
 */
export async function* jsonValues<T>(
  sources: Iterable<SourceText> | AsyncIterable<SourceText>,
  { read, keyOf, unwrap = (value) => [value], onObject }: JsonReadOptions<T>,
): AsyncGenerator<T> {
  const problems = problemList()
  const seen = lineIndex()
  const accept = (item: unknown, source: SourceText, location: SourceLocation): T | undefined => {
    onObject?.(source, location.line)
    const result = read(item)
    if (!result.success) return addIssues(problems, location, result.error)
    const { group, id } = keyOf(result.data)
    const before = seen.put(group, id, source, location.line)
    if (before === undefined) return result.data
    problems.add({ ...location, column: 'id', reason: `${quoted(id)} is ${before} already` })
    return undefined
  }
  for await (const source of sources) {
    const file = source.name || undefined
    for await (const element of upToTrouble(jsonElements(source.text), problems, file)) {
      const location = { file, line: element.line }
      for (const item of parsed(element, problems, unwrap, location)) {
        const value = accept(item, source, location)
        if (value !== undefined && problems.isEmpty()) yield value
      }
    }
  }
  problems.throwIfAny()
}

type SourceLocation = { file: string | undefined; line: number }

/** Packs a line and its file into one small number, because there may be a million of them. */
const MAX_LINES = 2 ** 34

/** Remembers where things came first. */
function lineIndex() {
  const sources: SourceText[] = []
  const groups = new Map<string, Map<string, number>>()
  return {
    /** @returns the place of the first occurrence in words; undefined for the first occurrence */
    put(group: string, id: string, source: SourceText, line: number): string | undefined {
      if (sources.at(-1) !== source) sources.push(source)
      const ids = groups.get(group) ?? new Map<string, number>()
      groups.set(group, ids)
      const position = ids.get(id)
      if (position === undefined) {
        ids.set(id, (sources.length - 1) * MAX_LINES + line)
        return undefined
      }
      const from = sources[Math.floor(position / MAX_LINES)]
      return `on line ${position % MAX_LINES}${from && from !== source ? ` of ${from.name}` : ''}`
    },
  }
}

/** Records an error that ends the file early, so that it is reported together with previous errors. */
async function* upToTrouble(elements: AsyncIterable<JsonElement>, problems: ProblemList, file?: string) {
  try {
    yield* elements
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    for (const problem of error.problems) problems.add({ file, ...problem })
  }
}

type Source = { source: string }

function parsed(
  element: JsonElement,
  problems: ProblemList,
  unwrap: (value: unknown) => unknown[],
  location: SourceLocation,
) {
  try {
    const parse = JSON.parse as (
      text: string,
      reviver: (key: string, value: unknown, context: Source) => unknown,
    ) => unknown
    const exact = (key: string, value: unknown, { source }: Source) =>
      typeof value === 'number' && AMOUNTS.has(key) ? source : value
    return unwrap(parse(element.text, exact))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    problems.add({
      ...location,
      reason: `the object that begins here is not JSON: ${error.message.replace(/\s+/g, ' ')}`,
    })
    return []
  }
}

function addIssues(problems: ProblemList, location: SourceLocation, error: z.ZodError): undefined {
  for (const { path, message } of error.issues) {
    const column = path.reduce<string>(
      (name, step) =>
        typeof step === 'number' ? `${name}[${step}]` : name ? `${name}.${String(step)}` : String(step),
      '',
    )
    const reason = message.endsWith('received undefined') ? 'is missing' : message
    problems.add({ ...location, column: column || undefined, reason })
  }
}
