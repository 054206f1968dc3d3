import 'server-only'
import { promisify } from 'node:util'
import { brotliCompress, gzip as gzipCompress } from 'node:zlib'
import { z } from 'zod'
import { PERMISSION_NAMES } from '#lib/platform/caller/rules.ts'
import { FILTER_GRAMMAR } from '#lib/platform/lists/filter.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { type AnyContract, contract } from '../contract.ts'
import { operation } from '../operation.ts'
import type { ParameterMeta } from '../request.ts'
import type { Example } from './example.ts'
import { anyProblem, headerComponents, responsesOf } from './responses.ts'
import { apiSettings } from './settings.ts'
import { dropRepeatedExamples, shareParts, shareProblemMembers } from './sharing.ts'

/** Calls of one noun, under one heading. */
export type Group = { tag: string; description: string; contracts: readonly AnyContract[] }

const readOpenApi = contract({
  name: 'readOpenApi',
  summary: 'This document',
  description:
    'OpenAPI 3.1, made of the same schemas that parse requests and answers. It needs no key, pages of any site may read it, and its ETag changes with the release.',
  method: 'GET',
  path: '/billing/v1/openapi.json',
  permission: 'none',
  headers: z.object({
    'accept-encoding': z.string().optional().meta({ description: 'Compressed forms: `br` and `gzip`.' }),
  }),
  responseHeaders: [
    'Content-Encoding',
    'Vary',
    'Access-Control-Allow-Origin',
    'Cross-Origin-Resource-Policy',
  ],
  output: z
    .record(z.string(), z.unknown().meta({ description: 'A part of it.' }))
    .meta({ id: 'OpenApiDocument', description: 'An OpenAPI document.' }),
})

const ABOUT: Group = {
  tag: 'About',
  description: 'What the API says of itself.',
  contracts: [readOpenApi],
}

/**
 * Returns the call that answers the document of these contracts, and of itself.
 * @param groups all mounted calls of the API: test/architecture/routes.test.ts compares them with the routes
 */
export function openApiOperation(groups: readonly Group[]) {
  const described = openApi([...groups, ABOUT])
  let forms: Forms | undefined
  return operation(readOpenApi, async (_, { headers }) => {
    const about = addressed()
    const settings = JSON.stringify(about)
    // Made once, until the settings change, because any client may request it.
    if (forms?.settings !== settings) forms = formsOf(settings, { ...described, ...about })
    const { body, bytes, compressed } = forms
    const encoding = acceptedEncoding(headers?.['accept-encoding'])
    return {
      body,
      saved: encoding ? (await compressed)[encoding] : bytes,
      headers: {
        ...(encoding ? { 'Content-Encoding': encoding } : {}),
        Vary: 'Accept-Encoding',
        'Cache-Control': 'public, no-cache',
        // The document contains no secret, and tools on other sites read it.
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
    }
  })
}

type Encoding = 'br' | 'gzip'

/** The document and its bytes, for the settings that it contains. */
type Forms = {
  settings: string
  body: Json
  bytes: Uint8Array
  compressed: Promise<Record<Encoding, Uint8Array>>
}

function formsOf(settings: string, body: Json): Forms {
  const bytes = Buffer.from(JSON.stringify(body))
  return { settings, body, bytes, compressed: compress(bytes) }
}

async function compress(bytes: Uint8Array): Promise<Record<Encoding, Uint8Array>> {
  const [br, gzip] = await Promise.all([
    promisify(brotliCompress)(bytes),
    promisify(gzipCompress)(bytes, { level: 9 }),
  ])
  return { br, gzip }
}

function acceptedEncoding(accepted = ''): Encoding | undefined {
  const encodings = accepted.split(',').map((part) => part.replaceAll(/\s/g, '').toLowerCase())
  const isAccepted = (encoding: Encoding) =>
    encodings.some((part) => part.startsWith(encoding) && !/;q=0(\.0*)?$/.test(part))
  return (['br', 'gzip'] as const).find(isAccepted)
}

const DESCRIPTION = [
  'Managed assets, license quantities and invoices.',
  'Authenticate with an API key as a bearer token.',
  'Times are epoch milliseconds; days are the midnight in UTC that begins them.',
  'Every refusal is a problem (RFC 9457) with a stable `code`.',
  'HEAD answers what GET does, without the body.',
  'Each answer names its request in `Request-Id`, and the limits that it counts for in `RateLimit-Policy` and `RateLimit`.',
  'Answers also carry headers for caches and browsers (Cache-Control, Content-Security-Policy and the like).',
  'Unknown query parameters are ignored.',
  'Additions (fields, parameters, codes) are not breaking: ignore what you do not know.',
].join(' ')

/** Returns the members of the document that depend on the installation: its URL, operator and contact. */
function addressed(): Json {
  const { baseUrl } = env()
  const apiInfo = apiSettings()
  return {
    info: {
      title: 'Licenses & Invoices',
      version: VERSION,
      description: DESCRIPTION,
      contact: { ...apiInfo.contact, url: baseUrl },
      license: apiInfo.license,
    },
    servers: [{ url: baseUrl, description: 'This console.' }],
  }
}

/** Returns the OpenAPI 3.1 document of these contracts, made from the same schemas that parse requests. */
function openApi(groups: readonly Group[]): Json {
  const schemas: Record<string, Json> = {}
  const schema = schemaWriter(schemas)
  schemas.Problem = anyProblem(schema)
  schemas.Filter = { type: 'string', description: FILTER_GRAMMAR }
  const paths: Record<string, Json> = {}
  for (const { tag, contracts } of groups) {
    for (const each of contracts) {
      const call = { tags: [tag], ...operationOf(each, schema) }
      paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: call }
    }
  }
  dropRepeatedExamples(paths)
  const { parameters, responses } = shareParts(paths)
  shareProblemMembers(schemas)
  return {
    openapi: '3.1.1',
    // Replaced at each request; listed to fix their position in the document.
    info: {},
    servers: [],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    security: [{ apiKey: [] }],
    components: {
      schemas,
      parameters,
      responses,
      headers: headerComponents({ ...paths, ...responses }),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'lic_…',
          description: 'An API key of a customer. It holds roles, and these hold the permissions.',
        },
      },
    },
    // Behind their components, which compresses better.
    paths,
  }
}

/** Returns the OpenAPI operation of a contract. */
function operationOf(contract: AnyContract, schema: SchemaOf): Json {
  const { name, summary, description, permission } = contract
  const needs = permission in PERMISSION_NAMES ? permission : undefined
  return {
    operationId: name,
    summary,
    description: needs ? `${description}\n\nPermission: ${nameOf(needs)}.` : description,
    ...(permission === 'none' ? { security: [] } : {}),
    parameters: parametersOf(contract, schema).map(withSharedGrammar),
    ...requestBodyOf(contract, schema),
    responses: responsesOf(contract, schema),
  }
}

function nameOf(permission: string): string {
  return PERMISSION_NAMES[permission as keyof typeof PERMISSION_NAMES]
}

/** Returns the parameters of a call: those of its contract, and If-None-Match where its answer has an ETag. */
export function parametersOf(contract: AnyContract, schema: SchemaOf): Json[] {
  const { method, params, query, headers, output } = contract
  // A stream's content is unknown before it is sent, so it has no ETag.
  const isTagged = method === 'GET' && output.meta()?.streamed !== true
  return [
    ...parametersIn('path', params, schema),
    ...parametersIn('query', query, schema),
    ...parametersIn('header', headers, schema),
    ...(isTagged ? [IF_NONE_MATCH] : []),
  ]
}

/** Returns a parameter with a reference in place of the grammar of filters. */
function withSharedGrammar(parameter: Json): Json {
  const [description, end] = String(parameter.description).split(` ${FILTER_GRAMMAR}`)
  return end === undefined
    ? parameter
    : { ...parameter, description, schema: { $ref: '#/components/schemas/Filter' } }
}

/** Returns the body of a call, optional if it needs no field. A GET or DELETE has none. */
function requestBodyOf({ method, body, examples }: AnyContract, schema: SchemaOf): Json {
  if (method === 'GET' || method === 'DELETE') return {}
  const bodies = exampleValues(examples, (example) => example.body)
  return {
    requestBody: {
      // An absent body is parsed as an object without fields.
      required: !(body as z.ZodType).safeParse({}).success,
      content: { 'application/json': { schema: schema(body, 'input'), ...bodies } },
    },
  }
}

function parametersIn(location: 'path' | 'query' | 'header', shape: z.ZodObject, schema: SchemaOf): Json[] {
  return Object.entries(shape.shape).map(([field, type]) => {
    const { description, json, ...schemaFields } = schema(type as z.ZodType, 'input') as Json & ParameterMeta
    const name = location === 'header' ? capitalized(field) : field
    const required = !(type as z.ZodType).safeParse(undefined).success
    // Without examples, calls share their parameters: `/developers` shows them.
    return { name, in: location, required, description, schema: json ?? schemaFields }
  })
}

/** Returns a header name as the RFCs write it: If-Match for `if-match`. */
function capitalized(header: string): string {
  return header.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

/**
 * Returns the values of the first examples in one place, where an example has one. Leaves out requests that break
 * their schema.
 */
function exampleValues(examples: readonly Example[], valueIn: (example: Example) => unknown): Json {
  const named = examples.flatMap((example) => {
    const value = valueIn(example)
    return value === undefined || example.answer.status === 400 ? [] : [[example.name, { value }]]
  })
  return named.length === 0 ? {} : { examples: Object.fromEntries(named.slice(0, MAX_EXAMPLES)) }
}

/** Most examples of one place; `/developers` shows all. */
const MAX_EXAMPLES = 1

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An ETag that you hold: 304 when it still fits.',
  schema: { type: 'string' },
}

export type Json = Record<string, unknown>

/** Returns the JSON Schema of a type as it is parsed (`input`) or answered (`output`). */
export type SchemaOf = (type: z.ZodType, io: 'input' | 'output') => Json

/** Returns a writer that adds types with an id to `schemas`, and refers to them there. */
export function schemaWriter(schemas: Record<string, Json>): SchemaOf {
  return (type, io) => {
    const made = JSON.stringify(z.toJSONSchema(type, { io, unrepresentable: 'any', override: plain(io) }))
    const {
      $defs = {},
      $schema,
      ...rootSchema
    } = JSON.parse(made.replaceAll('#/$defs/', '#/components/schemas/'))
    const named: Record<string, Json> = rootSchema.id ? { ...$defs, [rootSchema.id]: rootSchema } : $defs
    for (const [name, { id, ...rest }] of Object.entries(named)) schemas[name] = rest
    return rootSchema.id ? { $ref: `#/components/schemas/${rootSchema.id}` } : rootSchema
  }
}

/**
 * Options that keep schemas open to new members in answers. Integers are declared as such; an integer without bounds
 * has 64 bits, as generated clients have to know: milliseconds don't fit into 32.
 */
function plain(io: 'input' | 'output') {
  return ({ jsonSchema }: { jsonSchema: Json }) => {
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    if (Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer'
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
      delete jsonSchema.maximum
      jsonSchema.format = 'int64'
    }
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  }
}
