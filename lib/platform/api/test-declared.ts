import { z } from 'zod'
import { ANYWHERE } from './openapi/responses.ts'
import { PROBLEMS } from './problem.ts'

// Reads the API's description as a third-party client does: members that are not in it are unknown.

type Json = Record<string, unknown>
export type Answered = {
  status: number
  headers: Headers
  text: string
}
type Media = Record<string, { schema: Json }>
type Ref = { $ref: string }
type Header = { required?: boolean }
type Response = { headers?: Record<string, Header | Ref>; content?: Media }
export type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response | Ref> }>>
  components: {
    schemas: Record<string, Json>
    headers: Record<string, Header>
    responses: Record<string, Response>
  }
}

/**
 * Returns the members that an answer has and the document does not declare, or that are declared as required and
 * missing.
 */
export function undeclared(document: Document, method: string, path: string, answer: Answered): string[] {
  const { responses = {} } = document.paths[path]?.[method.toLowerCase()] ?? {}
  const isAnywhere = ANYWHERE.some((code) => PROBLEMS[code].status === answer.status)
  const declared = responses[answer.status] ?? (isAnywhere ? responses.default : undefined)
  if (!declared) return [`status ${answer.status}`]
  const response = deref(document, declared) as Response
  return [...strangeHeaders(document, response, answer), ...strangeBody(document, response, answer)]
}

/** Returns the component that a reference names, and any other part unchanged. */
function deref({ components }: Document, part: object): object {
  if (!('$ref' in part)) return part
  const [, , kind = '', name = ''] = String(part.$ref).split('/')
  const component = (components as unknown as Record<string, Record<string, object>>)[kind]?.[name]
  if (!component) throw new Error(`The document has no ${part.$ref}.`)
  return component
}

// Headers that every HTTP answer with a body has; the document declares them by its media types.
const OF_HTTP = ['content-type', 'content-length']
// Headers of every answer, which the document's description names once.
const OF_EVERY_ANSWER = ['request-id', 'cache-control', 'x-content-type-options']
const OF_LIMITS = ['ratelimit-policy', 'ratelimit']

function strangeHeaders(
  document: Document,
  { headers: declared = {} }: Response,
  { headers }: Answered,
): string[] {
  const declaredNames = Object.keys(declared).map((name) => name.toLowerCase())
  const expected = [...declaredNames, ...OF_HTTP, ...OF_EVERY_ANSWER, ...OF_LIMITS]
  const extra = [...headers.keys()].filter((name) => !expected.includes(name))
  const required = Object.entries(declared).filter(
    ([, header]) => (deref(document, header) as Header).required,
  )
  const missing = [...required.map(([name]) => name), ...OF_EVERY_ANSWER].filter(
    (name) => headers.get(name) === null,
  )
  return [...extra.map((name) => `header ${name}`), ...missing.map((name) => `no header ${name}`)]
}

function strangeBody(document: Document, { content = {} }: Response, answer: Answered): string[] {
  if (answer.text === '') return []
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const declared = content[mediaType]?.schema
  if (!declared) return [`media type ${mediaType}`]
  if (!mediaType.endsWith('json')) return []
  const body = JSON.parse(answer.text)
  const read = strict(document, chosen(declared, body)).safeParse(body)
  return read.success ? [] : [z.prettifyError(read.error)]
}

/** Returns the schema that the body's discriminator selects. */
function chosen(schema: Json, body: Json): Json {
  const { oneOf, discriminator } = schema as {
    oneOf?: Json[]
    discriminator?: { propertyName: string; mapping: Record<string, string> }
  }
  if (!discriminator) return schema
  const $ref = discriminator.mapping[String(body[discriminator.propertyName])]
  return oneOf?.find((each) => each.$ref === $ref) ?? { not: {} }
}

const made = new WeakMap<Json, z.ZodType>()

/** Returns the schema without additional members. */
function strict({ components }: Document, schema: Json): z.ZodType {
  const cached = made.get(schema)
  if (cached) return cached
  const defs = Object.entries(components.schemas).map(([name, each]) => [name, merged(components, each)])
  const whole = closed({ ...schema, $defs: Object.fromEntries(defs) }) as Json
  const type = z.fromJSONSchema(
    JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')),
  )
  made.set(schema, type)
  return type
}

/** Returns a schema with the members of the schemas that it extends, because only the whole is closed. */
function merged(components: Document['components'], schema: Json): Json {
  if (!Array.isArray(schema.allOf)) return schema
  const parts = schema.allOf.map(({ $ref, ...part }) => components.schemas[$ref?.split('/').at(-1)] ?? part)
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  return { type: 'object', properties, required: parts.flatMap((part) => part.required ?? []) }
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const properties = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]))
  return properties.type === 'object' && properties.properties
    ? { ...properties, additionalProperties: false }
    : properties
}
