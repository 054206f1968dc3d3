import 'server-only'
import { PERMISSION_NAMES, type Permission, rolesWith } from '#lib/platform/caller/rules.ts'
import type { AnyContract } from '../contract.ts'
import { type Group, type Json, parametersOf, schemaWriter } from '../openapi/document.ts'
import { EXAMPLE_URL } from '../openapi/example.ts'
import { ANYWHERE } from '../openapi/responses.ts'
import { PROBLEMS } from '../problem.ts'
import { cellText } from './markdown.ts'
import { LANGUAGES, requestOf, sampleOf, sampleText } from './samples.ts'

/** Fences of code blocks by language of the samples. */
const FENCES = { curl: 'sh', TypeScript: 'ts', Python: 'python' } as const

/** Returns the page of a group of calls, in Markdown, with samples for a console at this address. */
export function referencePage({ tag, description, contracts }: Group, baseUrl: string): string {
  const index = contracts.map(
    ({ name, summary, method, path }) => `| [${summary}](#${name}) | \`${method}\` | \`${path}\` |`,
  )
  return [
    `# ${tag}`,
    description,
    ['| Call | Method | Path |', '|---|---|---|', ...index].join('\n'),
    ...contracts.flatMap((contract) => callSection(contract, baseUrl)),
  ].join('\n\n')
}

function callSection(contract: AnyContract, baseUrl: string): string[] {
  const { name, summary, description, method, path, problems, output } = contract
  const schemas: Record<string, Json> = {}
  const schema = schemaWriter(schemas)
  const parameters = parametersOf(contract, schema)
  const body = method === 'GET' || method === 'DELETE' ? [] : rowsOf(schema(contract.body, 'input'), schemas)
  const answer = output.meta()?.mediaType === undefined ? rowsOf(schema(output, 'output'), schemas) : []
  const codes = problems
    .filter((code) => !ANYWHERE.includes(code))
    .map((code) => `[\`${code}\`](/developers/errors#${code}) (${PROBLEMS[code].status})`)
  return [
    `## ${summary} {#${name}}`,
    `\`${method} ${path}\``,
    `${accessOf(contract)} Operation id: \`${name}\`.`,
    description,
    ...(parameters.length > 0 ? ['### Parameters', parameterTable(parameters)] : []),
    ...(body.length > 0 ? ['### Body', fieldTable(body)] : []),
    '### Example',
    ...exampleOf(contract, baseUrl),
    `::try ${name}`,
    '### Answer',
    ...(answer.length > 0 ? [fieldTable(answer)] : [`A file: \`${output.meta()?.mediaType}\`.`]),
    '### Errors',
    `${codes.join(', ')}, and those that [any call](/developers/errors) can answer.`,
  ].map((block) =>
    block.replace(/^(### (.+))$/, (_, heading, title) => `${heading} {#${name}-${title.toLowerCase()}}`),
  )
}

/** Returns who may make a call. */
function accessOf({ permission, examples }: AnyContract): string {
  const byMember =
    examples.length > 0 && examples.every(({ answer, by }) => answer.status !== 200 || by === 'session')
  const who = byMember ? 'Only a signed-in member can make this call, in the console.' : ''
  if (permission === 'none') return 'Needs no key.'
  if (permission === 'any') return who || 'Every key may make this call.'
  const name = PERMISSION_NAMES[permission as Permission]
  return `Permission: ${name} (${rolesWith(permission as Permission)}). ${who}`.trim()
}

function exampleOf(contract: AnyContract, baseUrl: string): string[] {
  const example = sampleOf(contract) ?? contract.examples.find(({ answer }) => answer.status === 200)
  if (!example)
    return ['It succeeds only where another organization’s server answers, so there is no example.']
  const { summary, by, body, answer } = example
  const samples = LANGUAGES.map((language) =>
    fenced(FENCES[language], sampleText(language, requestOf(contract, example, baseUrl))),
  )
  const sent = body === undefined ? [] : ['The body:', fenced('json', JSON.stringify(body, null, 2))]
  const answered = JSON.stringify(answer.body, null, 2)?.replaceAll(EXAMPLE_URL, baseUrl)
  return [
    `${summary}.`,
    ...(by === 'session' ? sent : samples),
    ...(typeof answer.body === 'object' ? ['It answers:', fenced('json', answered)] : []),
  ]
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function parameterTable(parameters: readonly Json[]): string {
  const rows = parameters.map(({ name, in: location, required, schema, description }) => {
    const need = required ? ' Required.' : ''
    return `| \`${name}\` | ${location} | ${cellText(typeText(schema as Json))} | ${cellText(String(description ?? ''))}${need} |`
  })
  return ['| Parameter | In | Type | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

type Field = { path: string; type: string; description: string }

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(
    ({ path, type, description }) => `| \`${path}\` | ${cellText(type)} | ${cellText(description)} |`,
  )
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** Depth up to which the members of objects are listed. */
const MAX_DEPTH = 5

/** Returns the fields of a schema, with those of its objects: `invoices[].dueDate`. */
function rowsOf(schema: Json, schemas: Record<string, Json>, prefix = '', depth = 0): Field[] {
  const whole = resolved(schema, schemas)
  const required = (whole.required ?? []) as string[]
  return Object.entries((whole.properties ?? {}) as Record<string, Json>).flatMap(([name, member]) => {
    const its = resolved(member, schemas)
    const items = its.items ? resolved(its.items as Json, schemas) : undefined
    const path = `${prefix}${name}`
    const optional = required.includes(name) ? '' : ', optional'
    const description = String(member.description ?? its.description ?? '')
    const row = { path, type: `${typeText(its, items)}${optional}`, description }
    const below = items ?? its
    return depth < MAX_DEPTH && below.properties
      ? [row, ...rowsOf(below, schemas, `${path}${items ? '[]' : ''}.`, depth + 1)]
      : [row]
  })
}

/** Returns the schema that a reference names, or the one of several that is not null. */
function resolved(schema: Json, schemas: Record<string, Json>): Json {
  const { $ref, anyOf, ...rest } = schema
  const name =
    String($ref ?? '')
      .split('/')
      .at(-1) ?? ''
  if ($ref !== undefined) return { ...resolved(schemas[name] ?? {}, schemas), ...rest }
  if (!Array.isArray(anyOf)) return schema
  const [one = {}] = (anyOf as Json[]).filter(({ type }) => type !== 'null')
  const isNullable = anyOf.length > 1
  return { ...resolved(one, schemas), ...rest, ...(isNullable ? { isNullable } : {}) }
}

function typeText(schema: Json, items?: Json): string {
  const { format, isNullable } = schema
  const detail = format === 'uri' ? ', an address' : ''
  return `${baseType(schema, items)}${detail}${isNullable ? ' or null' : ''}`
}

function baseType({ type, enum: values, const: only }: Json, items?: Json): string {
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(' or ')
  if (only !== undefined) return `\`${only}\``
  if (type === 'array') return `array of ${items ? pluralOf(typeText(items)) : 'values'}`
  return [type].flat().filter(Boolean).join(' or ') || 'any value'
}

function pluralOf(type: string): string {
  return /^(object|string|integer|number|boolean)$/.test(type) ? `${type}s` : type
}
