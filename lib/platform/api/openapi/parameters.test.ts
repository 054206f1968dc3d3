import { globSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { AnyContract } from '../contract.ts'
import { parametersOf, schemaWriter } from './document.ts'

// A client that checks a request against the description must neither refuse a request that the API takes, nor pass one
// that the API refuses.

type Parameter = { name: string; in: string; schema: Record<string, unknown> }
type Case = Parameter & { call: string; takes: z.ZodType }

/** Parameters whose grammar is described in text, since no schema can express the grammar. */
const DESCRIBED_IN_TEXT = ['filter', 'ids']
const cases: Case[] = []

beforeAll(async () => {
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: Record<string, AnyContract> = await import(/* @vite-ignore */ `../../../../${file}`)
    for (const contract of Object.values(exported).filter((each) => Object(each).path)) {
      const shape = { ...contract.params.shape, ...contract.query.shape, ...contract.headers.shape }
      for (const each of parametersOf(contract, schemaWriter({})) as Parameter[]) {
        const parameterSchema = shape[each.in === 'header' ? each.name.toLowerCase() : each.name]
        if (parameterSchema) cases.push({ ...each, call: contract.name, takes: parameterSchema })
      }
    }
  }
})

it("a parameter's schema takes exactly the values that the call takes", () => {
  expect(cases.length).toBeGreaterThan(40)
  for (const { call, name, schema, takes } of cases) {
    const described = z.fromJSONSchema(schema)
    fc.assert(
      fc.property(texts(), (text) => {
        const isAccepted = takes.safeParse(text).success
        const isDescribed = described.safeParse(meant(schema, text)).success
        const isRight = DESCRIBED_IN_TEXT.includes(name)
          ? isDescribed || !isAccepted
          : isDescribed === isAccepted
        expect([call, name, text, isRight]).toEqual([call, name, text, true])
      }),
    )
  }
})

it('writes header names as the standards do', () => {
  const names = cases.filter((each) => each.in === 'header').map(({ name }) => name)
  expect(new Set(names)).toEqual(new Set(['If-Match', 'Idempotency-Key']))
})

/** Returns the JSON value of a query parameter's text, by the schema. */
function meant({ type }: Record<string, unknown>, text: string): unknown {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

const KEYS = ['invoiceDate', 'totalAmount', 'amount', 'DueDate']
const FILTERS = ['type:a', 'status:OPEN|PAID', 'type:[a|b]', 'asset:a|state:APPLIED', 'currency:USD']

function texts(): fc.Arbitrary<string> {
  const sort = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom('', ' asc', '  desc ', ' DESC', ' asc x'))
  return fc.oneof(
    fc.string(),
    fc.nat({ max: 400 }).map(String),
    fc.maxSafeNat().map(String),
    fc.constantFrom(
      '',
      ' ',
      '0',
      '250',
      '251',
      '-1',
      '1.5',
      'true',
      'false',
      'full',
      'x'.repeat(201),
      '*',
      '"a"',
    ),
    fc.constantFrom('x'.repeat(301), 'x'.repeat(1001), 'x'.repeat(2001), 'x'.repeat(6001), ...FILTERS),
    sort.map((parts) => parts.join('')),
  )
}
