import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { GET } from '../../../../app/billing/v1/openapi.json/route.ts'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import { MEMBERS } from '../problem-members.ts'
import { ANYWHERE } from './responses.ts'

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: a document is read as any client reads it
let document: any

const read = async () => (await GET(new Request('http://console.example/billing/v1/openapi.json'))).json()

beforeEach(async () => {
  for (const name of [
    'BASE_URL',
    'API_CONTACT_NAME',
    'API_CONTACT_EMAIL',
    'API_LICENSE_NAME',
    'API_LICENSE_URL',
  ])
    vi.stubEnv(name, '')
  document = await read()
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it("names the API's address and the contact, from settings that have defaults", async () => {
  expect(document).toMatchObject({
    openapi: '3.1.1',
    info: {
      contact: { name: 'Licenses & Invoices', url: 'http://localhost:3000' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: 'http://localhost:3000' }],
  })
  vi.stubEnv('BASE_URL', 'https://console.example.org/')
  vi.stubEnv('API_CONTACT_EMAIL', 'api@console.example.org')
  vi.stubEnv('API_LICENSE_NAME', 'MIT')
  expect((await GET(new Request('http://console.example/billing/v1/openapi.json'))).status).toBe(500)
  vi.stubEnv('API_LICENSE_URL', 'https://console.example.org/license')
  expect(await read()).toMatchObject({
    info: {
      contact: { email: 'api@console.example.org', url: 'https://console.example.org' },
      license: { name: 'MIT', url: 'https://console.example.org/license' },
    },
    servers: [{ url: 'https://console.example.org' }],
  })
})

it("describes each problem's members by code, with a response that refers to them", () => {
  const { schemas } = document.components
  for (const [code, { status }] of Object.entries(PROBLEMS)) {
    const [name, schema] = Object.entries<Json>(schemas)
      .map(([key, value]) => [key, flattened(value)] as const)
      .find(([, { properties }]) => constOf(properties, 'code') === code) ?? ['', flattened({})]
    const members: z.ZodRawShape = code in MEMBERS ? MEMBERS[code as keyof typeof MEMBERS].shape : {}
    const names = [...PROBLEM_FIELDS, ...Object.keys(members)]
    expect(Object.keys(schema.properties).sort()).toEqual(names.sort())
    const required = Object.entries(members).filter(([, type]) => !z.safeParse(type, undefined).success)
    const requiredNames = [...PROBLEM_FIELDS.slice(0, -1), ...required.map(([member]) => member)]
    expect(schema.required.sort()).toEqual(requiredNames.sort())
    expect(constOf(schema.properties, 'status')).toBe(status)
    const isAnywhere = ANYWHERE.includes(code as ProblemCode)
    const at = isAnywhere ? 'default' : String(status)
    const refs = responses().filter(
      ([key, response]) => key === at && refersTo(response, isAnywhere ? 'Problem' : name),
    )
    expect([code, refs.length > 0]).toEqual([code, true])
  }
})

it('describes the codes that any call may answer in the default response', () => {
  const { description } = document.components.responses.AnyProblem
  for (const code of ANYWHERE) expect(description).toContain(`\`${code}\` (${PROBLEMS[code].status})`)
})

it('discriminates several problems of one status by code', () => {
  const schema = document.paths['/billing/v1/assets/{asset_id}'].patch.responses[409].content[PROBLEM].schema
  expect(schema.oneOf).toHaveLength(3)
  expect(schema.discriminator).toEqual({
    propertyName: 'code',
    mapping: {
      decrease_not_allowed: '#/components/schemas/DecreaseNotAllowedProblem',
      subscription_not_active: '#/components/schemas/SubscriptionNotActiveProblem',
      change_in_progress: '#/components/schemas/ChangeInProgressProblem',
    },
  })
})

it('discriminates the schema of any problem by code', () => {
  const { oneOf, discriminator } = document.components.schemas.Problem
  expect(oneOf.map(({ $ref }: Json) => $ref)).toEqual(Object.values(discriminator.mapping))
  expect(Object.keys(discriminator.mapping)).toEqual(Object.keys(PROBLEMS))
  expect(calls().every(({ responses: byStatus }) => refersTo((byStatus as Json).default, 'Problem'))).toBe(
    true,
  )
})

it('declares integers over 32 bits as int64, and objects with arbitrary members', () => {
  const { Invoice, LicenseChange, Quantity, OpenApiDocument } = document.components.schemas
  expect([Invoice.properties.dueDate, LicenseChange.properties.createTime]).toMatchObject(
    Array(2).fill({ type: 'integer', format: 'int64' }),
  )
  expect(Quantity.properties.quantity.format).toBeUndefined()
  expect(OpenApiDocument.additionalProperties).toBeTruthy()
})

it('describes everything: calls, parameters, headers, answers, and each field of each schema', () => {
  const bare: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    const { description, $ref, ...parts } = value as Json
    if (isDescribed(path) && !description && !$ref) bare.push(path)
    for (const [key, part] of Object.entries(parts)) walk(part, `${path}/${key}`)
  }
  // Examples contain answers, not schemas, so they are skipped.
  walk(JSON.parse(JSON.stringify(document, (key, value) => (key === 'examples' ? undefined : value))), '#')
  expect(bare).toEqual([])
  expect(document.tags.every(({ description }: Json) => description)).toBe(true)
  expect(calls().every(({ description, summary, tags }) => description && summary && tags)).toBe(true)
})

it("declares each parameter's type, and requires the parameters without which a call is refused", () => {
  const parameter = (path: string, name: string) =>
    document.paths[path].get.parameters.map(deref).find((each: Json) => each.name === name)
  expect(parameter('/billing/v1/invoices.csv', 'lines').schema).toEqual({ type: 'boolean', default: false })
  expect(parameter('/billing/v1/assets', 'view').schema).toMatchObject({ default: 'basic' })
  expect(parameter('/billing/v1/assets', 'maxResults').schema).toEqual({
    type: 'integer',
    minimum: 1,
    default: 50,
  })
  for (const name of ['from', 'to'])
    expect(parameter('/billing/v1/invoice-comparison', name)).toMatchObject({ required: true })
  const filter = parameter('/billing/v1/assets', 'filter')
  expect(filter.description).toMatch(/^As in .* Keys: type/)
  expect(deref(filter.schema).description).toMatch(/joined by `\|`.*AND.*brackets.*1,000/)
  expect(parameter('/billing/v1/invoices', 'minCreationTime').description).toMatch(/seconds.*milliseconds/)
})

it('declares the headers of each answer', () => {
  const headersOf = (response: Json) => Object.keys(Object(deref(response).headers))
  const { responses: byStatus } = document.paths['/billing/v1/assets/{asset_id}'].patch
  expect(headersOf(byStatus[200])).toEqual(['ETag', 'Dry-Run'])
  expect(headersOf(byStatus[401])).toContain('WWW-Authenticate')
  expect(headersOf(byStatus.default)).toEqual(['Allow', 'Dry-Run'])
  for (const status of [409, 503, 504]) expect(headersOf(byStatus[status])).toContain('Retry-After')
  const file = document.paths['/billing/v1/invoices.csv'].get.responses[200]
  expect(headersOf(file)).toContain('Content-Disposition')
  expect(headersOf(file)).not.toContain('ETag')
  expect(headersOf(document.paths['/billing/v1/invoices'].get.responses[200])).toEqual(['ETag', 'Link'])
  for (const name of EVERY_ANSWER) expect(document.info.description).toContain(name)
})

it('contains no dangling references and no unused components', () => {
  const text = JSON.stringify(document)
  const refs = new Set([...text.matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name))
  const { securitySchemes, ...components } = document.components
  const componentKeys = Object.entries<Json>(components).flatMap(([kind, its]) =>
    Object.keys(its).map((name) => `${kind}/${name}`),
  )
  expect([...refs].sort()).toEqual(componentKeys.sort())
  expect(Object.keys(securitySchemes)).toEqual(['apiKey'])
})

it('describes no parameter and no problem twice', () => {
  const parts = calls().flatMap(({ parameters, responses: byStatus }) => [
    ...(parameters as Json[]),
    ...Object.entries(byStatus as Json).flatMap(([status, response]) => (status === '200' ? [] : [response])),
  ])
  const inline = parts.map((part) => JSON.stringify(part)).filter((text) => !text.startsWith('{"$ref"'))
  expect(inline.length).toBeGreaterThan(0)
  expect(inline).toHaveLength(new Set(inline).size)
})

it('has less than 400 kB, and less than 60 kB compressed', async () => {
  const get = async (encoding: string) => {
    const headers = { 'Accept-Encoding': encoding }
    const response = await GET(new Request('http://console.example/billing/v1/openapi.json', { headers }))
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const plain = await get('identity')
  expect(plain.bytes.length).toBeLessThan(400_000)
  expect(plain.response.headers.get('content-encoding')).toBeNull()
  for (const [encoding, decode] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const { response, bytes } = await get(`${encoding};q=0.5, identity`)
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(bytes.length).toBeLessThan(60_000)
    expect(decode(bytes).equals(plain.bytes)).toBe(true)
  }
  expect((await get('gzip;q=0, br;q=0')).response.headers.get('content-encoding')).toBeNull()
})

it('may be read by pages of any site, and its ETag shows whether it changed', async () => {
  const url = 'http://console.example/billing/v1/openapi.json'
  const { headers } = await GET(new Request(url, { headers: { Origin: 'https://editor.example' } }))
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  const again = await GET(new Request(url, { headers: { 'If-None-Match': headers.get('etag') ?? '' } }))
  expect(again.status).toBe(304)
  expect(again.headers.get('access-control-allow-origin')).toBe('*')
})

it('has patterns that every reader of JSON Schema can compile, and examples that fit them', () => {
  const patterns = new Set<string>()
  const urls = new Set<string>()
  JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    if (/^(url|type)$/.test(key) && /^https?:/.test(String(value))) urls.add(value)
    return value
  })
  expect(patterns.size).toBeGreaterThan(10)
  // Neither Unicode property escapes, nor anything else that only one flag of JavaScript allows.
  for (const pattern of patterns) {
    expect(pattern).not.toContain('\\p{')
    expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow()
  }
  expect(urls.size).toBeGreaterThan(10)
  // RFC 3986: the characters of a URI.
  for (const url of urls) expect(url).toMatch(/^[\w.~:/?#@!$&'()*+,;=%-]+$/)
})

const EVERY_ANSWER = ['Request-Id', 'RateLimit-Policy', 'RateLimit', 'Cache-Control']
const PROBLEM = 'application/problem+json'
const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'error', 'errors']

function constOf(properties: unknown, name: string): unknown {
  return (properties as Record<string, Json> | undefined)?.[name]?.const
}

function calls(): Json[] {
  return Object.values(document.paths as Record<string, Record<string, Json>>).flatMap(Object.values)
}

function responses(): [string, unknown][] {
  return calls().flatMap((call) => Object.entries(call.responses as Json))
}

/** Returns the component that a reference names, and any other part unchanged. */
function deref(part: Json): Json {
  const [, , kind = '', name = ''] = String(part.$ref ?? '').split('/')
  return part.$ref === undefined ? part : document.components[kind][name]
}

function refersTo(response: unknown, schema: string | undefined): boolean {
  return JSON.stringify(deref(response as Json)).includes(`"#/components/schemas/${schema}"`)
}

/** Returns a schema with the members of the schemas that it extends. */
function flattened(schema: Json): { properties: Json; required: string[] } {
  const parts = ((schema.allOf ?? [schema]) as Json[]).map(deref)
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  return { properties, required: parts.flatMap((part) => (part.required ?? []) as string[]) }
}

/**
 * Returns whether a path in the document needs a description: a field, a named schema, a parameter, a response or a
 * header.
 */
function isDescribed(path: string): boolean {
  return (
    /\/properties\/[^/]+$/.test(path) ||
    /^#\/components\/(schemas|headers|parameters|responses|securitySchemes)\/[^/]+$/.test(path) ||
    /\/(parameters|responses|headers)\/[^/]+$/.test(path)
  )
}
