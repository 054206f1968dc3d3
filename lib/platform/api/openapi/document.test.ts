import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { GET } from '../../../../app/billing/v1/openapi.json/route.ts'
import { PROBLEMS } from '../problem.ts'
import { MEMBERS } from '../problem-schemas.ts'

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
    const [name, schema] =
      Object.entries<Json>(schemas).find(([, { properties }]) => constOf(properties, 'code') === code) ?? []
    const members: z.ZodRawShape = code in MEMBERS ? MEMBERS[code as keyof typeof MEMBERS].shape : {}
    expect(Object.keys(schema?.properties ?? {})).toEqual([...PROBLEM_FIELDS, ...Object.keys(members)])
    const required = Object.entries(members).filter(([, type]) => !z.safeParse(type, undefined).success)
    expect(schema?.required).toEqual([...PROBLEM_FIELDS.slice(0, -1), ...required.map(([member]) => member)])
    expect(constOf(schema?.properties, 'status')).toBe(status)
    const refs = responses().filter(([at, response]) => at === String(status) && names(response, name))
    expect([code, refs.length > 0]).toEqual([code, true])
  }
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
  expect(calls().every(({ responses: byStatus }) => names((byStatus as Json).default, 'Problem'))).toBe(true)
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
    document.paths[path].get.parameters.find((each: Json) => each.name === name)
  expect(parameter('/billing/v1/invoices.csv', 'lines').schema).toEqual({ type: 'boolean', default: false })
  expect(parameter('/billing/v1/assets', 'view').schema).toMatchObject({ default: 'basic' })
  expect(parameter('/billing/v1/assets', 'maxResults').schema).toEqual({
    type: 'integer',
    minimum: 1,
    default: 50,
  })
  for (const name of ['from', 'to'])
    expect(parameter('/billing/v1/invoice-comparison', name)).toMatchObject({ required: true })
  expect(parameter('/billing/v1/assets', 'filter').description).toMatch(
    /joined by `\|`.*AND.*brackets.*1,000/,
  )
  expect(parameter('/billing/v1/invoices', 'minCreationTime').description).toMatch(/seconds.*milliseconds/)
})

it('declares the headers of each answer', () => {
  const { responses: byStatus } = document.paths['/billing/v1/assets/{asset_id}'].patch
  expect(Object.keys(byStatus[200].headers)).toEqual(
    expect.arrayContaining(['ETag', 'Dry-Run', 'Request-Id']),
  )
  expect(Object.keys(byStatus[401].headers)).toContain('WWW-Authenticate')
  expect(Object.keys(byStatus[405].headers)).toContain('Allow')
  for (const status of [409, 503, 504]) expect(Object.keys(byStatus[status].headers)).toContain('Retry-After')
  const file = document.paths['/billing/v1/invoices.csv'].get.responses[200]
  expect(Object.keys(file.headers)).toContain('Content-Disposition')
  expect(Object.keys(file.headers)).not.toContain('ETag')
})

it('contains no dangling references and no unused components', () => {
  const text = JSON.stringify(document)
  const refs = new Set([...text.matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name))
  const { schemas, headers } = document.components
  const componentKeys = [
    ...Object.keys(schemas).map((name) => `schemas/${name}`),
    ...Object.keys(headers).map((name) => `headers/${name}`),
  ]
  expect([...refs].sort()).toEqual(componentKeys.sort())
})

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

function names(response: unknown, schema: string | undefined): boolean {
  return JSON.stringify(response).includes(`"#/components/schemas/${schema}"`)
}

/**
 * Returns whether a path in the document needs a description: a field, a named schema, a parameter, a response or a
 * header.
 */
function isDescribed(path: string): boolean {
  return (
    /\/properties\/[^/]+$/.test(path) ||
    /^#\/components\/(schemas|headers|securitySchemes)\/[^/]+$/.test(path) ||
    /\/(parameters|responses|headers)\/[^/]+$/.test(path)
  )
}
