import { z } from 'zod'

// Reads the API's description as a third-party client does: members that are not in it are unknown.

type Json = Record<string, unknown>
export type Answered = {
  status: number
  headers: Headers
  text: string
}
type Media = Record<string, { schema: Json }>
type Response = { headers: Record<string, { $ref?: string; required?: boolean }>; content?: Media }
export type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { schemas: Record<string, Json>; headers: Record<string, { required: boolean }> }
}

/**
 * Returns the members that an answer has and the document does not declare, or that are declared as required and
 * missing.
 */
export function undeclared(document: Document, method: string, path: string, answer: Answered): string[] {
  const declared = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status]
  if (!declared) return [`status ${answer.status}`]
  return [...strangeHeaders(document, declared, answer), ...strangeBody(document, declared, answer)]
}

// Headers that every HTTP answer with a body has; the document declares them by its media types.
const OF_HTTP = ['content-type', 'content-length']

function strangeHeaders(document: Document, declared: Response, { headers }: Answered): string[] {
  const declaredNames = Object.keys(declared.headers).map((name) => name.toLowerCase())
  const extra = [...headers.keys()].filter((name) => ![...declaredNames, ...OF_HTTP].includes(name))
  const missing = Object.entries(declared.headers).filter(([name, { $ref, required }]) => {
    const isRequired = $ref ? document.components.headers[$ref.split('/').at(-1) ?? '']?.required : required
    return isRequired && headers.get(name) === null
  })
  return [...extra.map((name) => `header ${name}`), ...missing.map(([name]) => `no header ${name}`)]
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
  const whole = closed({ ...schema, $defs: components.schemas }) as Json
  const type = z.fromJSONSchema(
    JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')),
  )
  made.set(schema, type)
  return type
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const properties = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]))
  return properties.type === 'object' && properties.properties
    ? { ...properties, additionalProperties: false }
    : properties
}
