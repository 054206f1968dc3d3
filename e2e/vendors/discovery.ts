import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Exchange } from './routes.ts'

// Checks what goes over the wire against Google's own description of the API, stricter than a client may be: a
// field that is not described is a mistake, because it is one of ours.

type Schema = {
  $ref?: string
  type?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
}
type Parameter = { type: string; location: string; minimum?: string; maximum?: string }
type Method = {
  id: string
  httpMethod: string
  path: string
  parameters: Record<string, Parameter>
  scopes: string[]
  request?: Schema
  response?: Schema
}
type Discovery = {
  rootUrl: string
  schemas: Record<string, Schema>
  parameters: Record<string, Parameter>
  resources: Record<string, { methods: Record<string, Method> }>
}

const file = new URL('./google-reseller-v1.discovery.json', import.meta.url)
const discovery: Discovery = JSON.parse(readFileSync(file, 'utf8'))
const methods = Object.values(discovery.resources).flatMap((resource) => Object.values(resource.methods))
const $defs = Object.fromEntries(
  Object.entries(discovery.schemas).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
)

/** The field that the fake adds now and then on purpose. */
const ON_PURPOSE = 'unseenBefore'

/** What is wrong with a call and its answer by the description: a line for each fault, with its place. */
export function faultsOf({ call, answer }: Exchange): string[] {
  const { pathname } = new URL(call.target, 'http://fake')
  const method = methods.find(({ httpMethod, path }) => httpMethod === call.method && isPath(path, pathname))
  if (!method) return [`request: ${call.method} ${pathname} is not described`]
  const query = [...call.query].flatMap(([name, value]) => parameterFault(method, name, value))
  const body = call.text === '' ? undefined : JSON.parse(call.text)
  const request = bodyFaults('request', method.request, body)
  const isAnswered = typeof answer === 'object' && answer.status >= 200 && answer.status < 300
  const response = isAnswered ? bodyFaults('response', method.response, overTheWire(answer.body)) : []
  return [...query, ...request, ...response]
}

function bodyFaults(where: string, schema: Schema | undefined, body: unknown): string[] {
  if (!schema) return body === undefined ? [] : [`${where}: has a body`]
  const issues = checkOf(schema).safeParse(body).error?.issues ?? []
  return issues.map(({ path, message }) => `${where}: ${path.join('.')} ${message}`)
}

const checks = new Map<Schema, z.ZodType>()

function checkOf(schema: Schema): z.ZodType {
  const known = checks.get(schema) ?? z.fromJSONSchema({ ...jsonSchemaOf(schema), $defs })
  checks.set(schema, known)
  return known
}

function parameterFault({ parameters }: Method, name: string, value: string): string[] {
  const parameter = parameters[name] ?? discovery.parameters[name]
  if (parameter?.location !== 'query') return [`request: parameter ${name} is not described`]
  if (parameter.type !== 'integer') return []
  const { minimum = '-Infinity', maximum = 'Infinity' } = parameter
  const isInside =
    /^-?\d+$/.test(value) && Number(value) >= Number(minimum) && Number(value) <= Number(maximum)
  return isInside ? [] : [`request: parameter ${name} is ${value}`]
}

/** A discovery schema as JSON Schema in which nothing more is allowed. */
function jsonSchemaOf({ $ref, type, format, properties, items }: Schema): Record<string, unknown> {
  if ($ref) return { $ref: `#/$defs/${$ref}` }
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(([name, schema]) => [name, jsonSchemaOf(schema)])
    return { type, properties: Object.fromEntries(fields), additionalProperties: false }
  }
  if (type === 'array') return { type, items: jsonSchemaOf(items ?? {}) }
  if (format === 'int64') return { type, pattern: '^-?\\d+$' }
  if (format === 'int32') return { type, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
  if (!type) throw new Error('A schema of the description has no type.')
  return { type }
}

function isPath(template: string, pathname: string): boolean {
  const [wanted, given] = [template.split('/'), pathname.slice(1).split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  )
}

function overTheWire(body: unknown): unknown {
  const sent = JSON.parse(JSON.stringify(body ?? null))
  if (typeof sent === 'object' && sent !== null) delete sent[ON_PURPOSE]
  return sent
}
