import type { z } from 'zod'
import { PERMISSION_NAMES } from '#lib/access/rules.ts'
import type { AnyContract } from '../contract.ts'
import type { ParameterMeta } from '../query-text.ts'
import type { Example } from './example.ts'
import { responsesOf } from './responses.ts'
import type { Json, SchemaOf } from './schema.ts'

/** One operation of OpenAPI: what a contract says of its call. */
export function describedCall(contract: AnyContract, schema: SchemaOf): Json {
  const { name, summary, description, permission, method, params, query, headers, body, output } = contract
  const { examples } = contract
  // A stream is not known before it is sent, so that it has no ETag.
  const isTagged = method === 'GET' && output.meta()?.streamed !== true
  const needs = permission in PERMISSION_NAMES ? permission : undefined
  return {
    operationId: name,
    summary,
    description: needs ? `${description}\n\nPermission: ${nameOf(needs)}.` : description,
    ...(permission === 'none' ? { security: [] } : {}),
    parameters: [
      ...parametersOf(params, 'path', schema, examples),
      ...parametersOf(query, 'query', schema, examples),
      ...parametersOf(headers, 'header', schema, examples),
      ...(isTagged ? [IF_NONE_MATCH] : []),
    ],
    ...(method === 'GET' ? {} : { requestBody: requestBodyOf(body, schema, examples) }),
    responses: responsesOf(contract, schema),
  }
}

function nameOf(permission: string): string {
  return PERMISSION_NAMES[permission as keyof typeof PERMISSION_NAMES]
}

const EXAMPLE_PART = { path: 'params', query: 'query', header: 'headers' } as const

function parametersOf(
  shape: z.ZodObject,
  place: 'path' | 'query' | 'header',
  schema: SchemaOf,
  examples: readonly Example[],
): Json[] {
  return Object.entries(shape.shape).map(([name, type]) => {
    const { description, json, ...own } = schema(type as z.ZodType, 'input') as Json & ParameterMeta
    const required = !(type as z.ZodType).safeParse(undefined).success
    const given = exampleValues(examples, (example) => example[EXAMPLE_PART[place]]?.[name])
    return { name, in: place, required, description, schema: json ?? own, ...given }
  })
}

function requestBodyOf(body: z.ZodType, schema: SchemaOf, examples: readonly Example[]): Json {
  const given = exampleValues(examples, (example) => example.body)
  return {
    required: true,
    description: 'Its fields, and no others.',
    content: { 'application/json': { schema: schema(body, 'input'), ...given } },
  }
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
