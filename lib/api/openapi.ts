import { z } from 'zod'
import { PERMISSION_NAMES } from '#lib/access/rules.ts'
import { type AnyContract, contract } from './contract.ts'
import { type Json, type SchemaOf, schemaWriter } from './openapi-schema.ts'
import { operation } from './operation.ts'
import { PROBLEMS, type ProblemCode } from './problem.ts'

const ALWAYS: ProblemCode[] = ['unauthenticated', 'internal_error', 'service_unavailable']

const ProblemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().meta({ description: 'The request id, also in the header Request-Id.' }),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode]).meta({ description: 'Stable; made for programs.' }),
    error: z.string().meta({ description: 'The same as `detail`.' }),
    errors: z
      .array(
        z.object({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' })

const readOpenApi = contract({
  name: 'readOpenApi',
  summary: 'This document',
  method: 'GET',
  path: '/billing/v1/openapi.json',
  permission: 'none',
  output: z.record(z.string(), z.unknown()),
  problems: [],
})

/** The call that answers the document of these contracts, and of itself. */
export function openApiOperation(contracts: readonly AnyContract[]) {
  const document = openApi([...contracts, readOpenApi])
  return operation(readOpenApi, async () => ({ body: document }))
}

/** The OpenAPI 3.1 document of these contracts, made from the same schemas that parse requests. */
function openApi(contracts: readonly AnyContract[]): Json {
  const schemas: Record<string, Json> = {}
  const schema = schemaWriter(schemas)
  const paths: Record<string, Json> = {}
  for (const each of contracts) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: operationOf(each, schema) }
  }
  schema(ProblemBody, 'output')
  return {
    openapi: '3.1.1',
    info: {
      title: 'Licenses & Invoices',
      version: '1.0.0',
      description:
        'Managed assets, license quantities and invoices. Additions are not breaking: ignore what you do not know.',
    },
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'lic_…' } },
    },
  }
}

function operationOf(contract: AnyContract, schema: SchemaOf): Json {
  const { name, summary, permission, params, query, headers, body, output, method } = contract
  // A stream is not known before it is sent, so that it has no ETag.
  const isStream = output.meta()?.streamed === true
  const isTagged = method === 'GET' && !isStream
  const parameters = [
    ...parametersOf(params, 'path', schema),
    ...parametersOf(query, 'query', schema),
    ...parametersOf(headers, 'header', schema),
    ...(isTagged ? [IF_NONE_MATCH] : []),
  ]
  const mediaType = (output.meta()?.mediaType as string | undefined) ?? 'application/json'
  const isFile = mediaType !== 'application/json'
  const binary = mediaType.startsWith('text/') ? {} : { format: 'binary' }
  const answer = isFile ? { type: 'string', ...binary } : schema(output, 'output')
  return {
    operationId: name,
    summary,
    ...(permission in PERMISSION_NAMES
      ? { description: `Permission: ${PERMISSION_NAMES[permission as keyof typeof PERMISSION_NAMES]}.` }
      : {}),
    ...(permission === 'none' ? { security: [] } : {}),
    parameters,
    ...(method === 'GET'
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: schema(body, 'input') } } },
        }),
    responses: {
      200: {
        description: (isFile && output.description) || 'Done.',
        headers: isStream ? UNTAGGED : HEADERS,
        content: { [mediaType]: { schema: answer } },
      },
      ...(isTagged ? { 304: { description: 'Not modified.', headers: HEADERS } } : {}),
      ...problemResponses(contract),
    },
  }
}

function parametersOf(shape: z.ZodObject, place: 'path' | 'query' | 'header', schema: SchemaOf): Json[] {
  return Object.entries(shape.shape).map(([name, type]) => {
    const { description, integer, ...own } = schema(type as z.ZodType, 'input')
    const described = description ? { description } : {}
    return { name, in: place, required: place === 'path', ...described, schema: integer ?? own }
  })
}

function problemResponses(contract: AnyContract): Json {
  const open = contract.permission === 'none'
  const named = contract.permission !== 'any' && !open
  const codes = [
    ...(open ? ['internal_error' as const] : ALWAYS),
    ...(named ? ['permission_denied' as const] : []),
    ...contract.problems,
  ]
  const byStatus = Object.groupBy(new Set(codes), (code) => PROBLEMS[code].status)
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same]) => [
      status,
      { description: (same ?? []).map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '), content },
    ]),
  )
}

const UNTAGGED = {
  'Request-Id': { description: 'Names this request in our logs.', schema: { type: 'string' } },
}
const HEADERS = { ETag: { schema: { type: 'string' } }, ...UNTAGGED }
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An ETag that you hold: 304 when it still fits.',
  schema: { type: 'string' },
}
