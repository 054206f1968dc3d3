import type { z } from 'zod'
import type { AnyContract } from '../contract.ts'
import type { ParameterMeta } from '../request.ts'
import type { Example } from './example.ts'
import type { Json, SchemaOf } from './schema.ts'

/** All that a call takes beside its body: what its contract names, and If-None-Match where its answer has an ETag. */
export function parametersOf(contract: AnyContract, schema: SchemaOf): Json[] {
  const { method, params, query, headers, output, examples } = contract
  // A stream is not known before it is sent, so that it has no ETag.
  const isTagged = method === 'GET' && output.meta()?.streamed !== true
  return [
    ...parametersIn('path', params, schema, examples),
    ...parametersIn('query', query, schema, examples),
    ...parametersIn('header', headers, schema, examples),
    ...(isTagged ? [IF_NONE_MATCH] : []),
  ]
}

/** The body that a call has, or may have where it needs no field; of a GET or a DELETE it would have no meaning. */
export function requestBodyOf({ method, body, examples }: AnyContract, schema: SchemaOf): Json {
  if (method === 'GET' || method === 'DELETE') return {}
  const given = exampleValues(examples, (example) => example.body)
  return {
    requestBody: {
      // One that is left out is read as an object without fields.
      required: !(body as z.ZodType).safeParse({}).success,
      description: 'Its fields, and no others.',
      content: { 'application/json': { schema: schema(body, 'input'), ...given } },
    },
  }
}

const EXAMPLE_PART = { path: 'params', query: 'query', header: 'headers' } as const

function parametersIn(
  place: 'path' | 'query' | 'header',
  shape: z.ZodObject,
  schema: SchemaOf,
  examples: readonly Example[],
): Json[] {
  return Object.entries(shape.shape).map(([field, type]) => {
    const { description, json, ...own } = schema(type as z.ZodType, 'input') as Json & ParameterMeta
    const name = place === 'header' ? capitalized(field) : field
    const required = !(type as z.ZodType).safeParse(undefined).success
    const given = exampleValues(examples, (example) => example[EXAMPLE_PART[place]]?.[field])
    return { name, in: place, required, description, schema: json ?? own, ...given }
  })
}

/** A header as the RFCs write it: `if-match` is If-Match. */
function capitalized(header: string): string {
  return header.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

/** What each example has in one place, where it has something; not of requests that break their own schema. */
function exampleValues(examples: readonly Example[], valueIn: (example: Example) => unknown): Json {
  const named = examples.flatMap((example) => {
    const value = valueIn(example)
    return value === undefined || example.answer.status === 400
      ? []
      : [[example.name, { summary: example.summary, value }]]
  })
  return named.length === 0 ? {} : { examples: Object.fromEntries(named) }
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An ETag that you hold: 304 when it still fits.',
  schema: { type: 'string' },
}
