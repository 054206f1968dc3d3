import { z } from 'zod'
import { decimalOf } from '#lib/decimals.ts'
import { decimalFault, quoted, textFault } from '#lib/imports/faults.ts'
import { ImportRefused } from '#lib/imports/refused.ts'
import { type ProblemList, problemList } from '../problem-list.ts'
import { timeOf } from '../times.ts'
import { type JsonElement, jsonElements } from './elements.ts'

/** Kept text: not empty, without control characters. */
export function text(longest = 300) {
  return z
    .string()
    .min(1, 'is empty')
    .check(({ value, issues }) => {
      const message = textFault(value, longest)
      if (message) issues.push({ code: 'custom', input: value, message })
    })
}

/** Text that may be left out; null and empty say the same. */
export function optionalText(longest = 300) {
  return z
    .union([z.literal('').transform(() => null), text(longest)])
    .nullish()
    .transform((value) => value ?? null)
}

/** A web address that may be left out. Anything else in its place could be a script behind a link. */
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
  if (!decimal) context.issues.push({ code: 'custom', input: value, message: decimalFault(value) })
  return decimal?.toFixed() ?? z.NEVER
})

/** A time as ISO 8601, in UTC unless it says otherwise, or as epoch milliseconds. */
export const time = z.union([z.string(), z.number()], 'is no time').transform((value, context) => {
  const known = /^\d{12,14}$/.test(String(value)) ? dateText(Number(value)) : String(value)
  const epochMs = timeOf(known)
  if (epochMs === undefined) context.issues.push({ code: 'custom', input: value, message: 'is no time' })
  return epochMs === undefined ? z.NEVER : new Date(epochMs)
})

function dateText(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** Which numbers are kept digit by digit instead of as floats: the fields of `amount`. */
const AMOUNTS = new Set(['price', 'qty', 'totalAmount', 'balanceAmount'])

/**
 * The objects of a file as `read` takes them, in their order. Once something is wrong
 * nothing more is yielded, and the rest is read for its problems only.
 * @param idOf what no two of them have in common
 * @param unwrap makes of one object the ones that it holds
 */
export async function* jsonValues<T>(
  source: AsyncIterable<string>,
  read: (value: unknown) => z.ZodSafeParseResult<T>,
  idOf: (value: T) => string,
  unwrap: (value: unknown) => unknown[] = (value) => [value],
): AsyncGenerator<T> {
  const problems = problemList()
  const lines = new Map<string, number>()
  for await (const element of upToTrouble(jsonElements(source), problems)) {
    for (const item of parsed(element, problems, unwrap)) {
      const result = read(item)
      if (!result.success) addIssues(problems, element.line, result.error)
      else {
        const id = idOf(result.data)
        const before = lines.get(id)
        lines.set(id, element.line)
        if (before !== undefined)
          problems.add({ line: element.line, column: 'id', reason: twice(id, before) })
        else if (problems.isEmpty()) yield result.data
      }
    }
  }
  problems.refuseIfAny()
}

/** Puts on the list what ends the file early, so that it is told together with what was found before. */
async function* upToTrouble(elements: AsyncIterable<JsonElement>, problems: ProblemList) {
  try {
    yield* elements
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error
    for (const problem of error.problems) problems.add(problem)
  }
}

function twice(id: string, line: number): string {
  return `${quoted(id)} is on line ${line} already`
}

type Source = { source: string }

function parsed(element: JsonElement, problems: ProblemList, unwrap: (value: unknown) => unknown[]) {
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
      line: element.line,
      reason: `the object that begins here is not JSON: ${error.message.replace(/\s+/g, ' ')}`,
    })
    return []
  }
}

function addIssues(problems: ProblemList, line: number, error: z.ZodError) {
  for (const { path, message } of error.issues) {
    const column = path.reduce<string>(
      (name, step) =>
        typeof step === 'number' ? `${name}[${step}]` : name ? `${name}.${String(step)}` : String(step),
      '',
    )
    const reason = message.endsWith('received undefined') ? 'is missing' : message
    problems.add({ line, column: column || undefined, reason })
  }
}
