import { describe, expect, test, vi } from 'vitest'
import { TAGS } from '#app/billing/v1/openapi.json/tags.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import { isPart, partsOf } from './parts.ts'
import { isReadable } from './tools.ts'

// Answers of every tool, with as many entries in each list as make many parts.

const LARGE = DEEP ? 2 ** 20 : 450_000
/** Bytes of a list that is cut: a part may have all of a shorter one. */
const LONG = 110_000
const LISTS = TAGS.flatMap(({ contracts }) => contracts)
  .filter(isReadable)
  .flatMap((contract) => {
    const bodies = contract.examples.flatMap(({ answer }) => (answer.status === 200 ? [answer.body] : []))
    const [body] = bodies
      .filter((each) => entriesOf(each).size > 0)
      .sort((a, b) => textOf(b).length - textOf(a).length)
    return body === undefined ? [] : [{ contract, name: contract.name, body }]
  })

describe.each(LISTS)('a large answer of $name', ({ contract, body }) => {
  let large: unknown = body
  for (let times = 2; textOf(large).length < LARGE; times *= 2) large = repeated(body, times)
  const parts = partsOf(large)

  test('comes in parts of its schema, none larger than an assistant can take', () => {
    expect(parts.length).toBeGreaterThan(5)
    for (const part of parts) {
      expect(isPart(part)).toBe(true)
      // A list may be empty in a part, and those here are longer than the API's.
      const issues: { code: string }[] = contract.output.safeParse(part).error?.issues ?? []
      expect(issues.filter(({ code }) => !code.startsWith('too_'))).toEqual([])
    }
  })

  test('has every entry of a long list in one part, and short lists in each', () => {
    const all = parts.map((part) => entriesOf(part))
    for (const [path, entries] of entriesOf(large)) {
      const found = all.flatMap((each) => each.get(path) ?? [])
      expect(new Set(found)).toEqual(new Set(entries))
      const isLong = !path.includes('[]') && textOf(entries).length > LONG
      expect(found.length, path)[isLong ? 'toBe' : 'toBeGreaterThanOrEqual'](entries.length)
    }
  })
})

test('an answer is serialized at most twice, however many parts it has', () => {
  const lines = Array.from({ length: 5000 }, (_, at) => ({
    description: `Line ${at}`,
    taxes: [{ rate: at }],
  }))
  const answer = { id: 'IN-1', lines }
  const length = textOf(answer).length
  const stringify = vi.spyOn(JSON, 'stringify')
  const parts = partsOf(answer)
  const serialized = stringify.mock.results.map(({ value }) => String(value).length)
  stringify.mockRestore()
  expect(parts.length).toBeGreaterThan(3)
  expect(serialized.reduce((sum, each) => sum + each, 0)).toBeLessThan(2.1 * length)
})

test('a small answer is one part, and a large text is not cut', () => {
  const small = { rows: [1, 2, 3] }
  expect(partsOf(small)).toEqual([small])
  const text = 'x'.repeat(300_000)
  expect(partsOf({ text, rows: [1] }).map(isPart)).toEqual([false])
})

/** Returns a value whose lists have their entries `times` times, and lists within lists fewer times. */
function repeated(value: unknown, times: number): unknown {
  if (Array.isArray(value))
    return Array.from({ length: value.length * times }, (_, at) =>
      repeated(value[at % value.length], Math.max(1, times >> 5)),
    )
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, repeated(each, times)]))
}

/** Returns the entries without lists in them, by the path of their list without its positions. */
function entriesOf(value: unknown, path = '', found = new Map<string, string[]>()): Map<string, string[]> {
  if (Array.isArray(value))
    for (const entry of value) {
      if (entriesOf(entry).size > 0) entriesOf(entry, `${path}[]`, found)
      else if (found.get(path)?.push(textOf(entry)) === undefined) found.set(path, [textOf(entry)])
    }
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) entriesOf(each, `${path}.${name}`, found)
  return found
}

function textOf(value: unknown): string {
  return JSON.stringify(value)
}
