import type { Json } from './document.ts'

type Kind = 'parameters' | 'responses'
type Use = { kind: Kind; name: string; call: string; text: string; replace(ref: Json): void }

/**
 * Drops all but the first example of each schema of an answer: `/developers` shows those of all calls.
 * @param paths changed in place
 */
export function dropRepeatedExamples(paths: Record<string, Json>): void {
  const seen = new Set<unknown>()
  for (const call of Object.values(paths).flatMap((path) => Object.values(path) as Json[])) {
    const { content } = (call.responses as Json)[200] as { content: Record<string, Json> }
    for (const part of Object.values(content)) {
      const { $ref } = part.schema as Json
      if ($ref !== undefined && seen.has($ref)) delete part.examples
      seen.add($ref)
    }
  }
}

/**
 * Moves the parameters, and the responses without examples, that several calls have in common into components, and replaces them by
 * references. Of several variants of one name, the most frequent keeps the name, and the others are named after the
 * first of their calls, too.
 * @param paths changed in place
 * @returns the components
 */
export function shareParts(paths: Record<string, Json>): Record<Kind, Json> {
  const components: Record<Kind, Json> = { parameters: {}, responses: {} }
  const calls = Object.values(paths).flatMap((path) => Object.values(path) as Json[])
  const variants = [...Map.groupBy(calls.flatMap(usesOf), ({ kind, text }) => `${kind} ${text}`).values()]
  for (const same of variants.sort((one, other) => other.length - one.length)) {
    const [{ kind, name, call, text }] = same as [Use]
    if (same.length === 1) continue
    const free = name in components[kind] ? `${name}Of${pascal(call)}` : name
    components[kind][free] = JSON.parse(text)
    for (const { replace } of same) replace({ $ref: `#/components/${kind}/${free}` })
  }
  return components
}

function usesOf({ operationId, parameters, responses }: Json): Use[] {
  const call = String(operationId)
  const list = parameters as Json[]
  const byStatus = responses as Json
  const shared = Object.entries(byStatus).filter(
    ([, response]) => !JSON.stringify(response).includes('"examples":'),
  )
  return [
    ...list.map((parameter, index): Use => {
      const replace = (ref: Json) => {
        list[index] = ref
      }
      const name = String(parameter.name).replaceAll('-', '')
      return { kind: 'parameters', name, call, text: JSON.stringify(parameter), replace }
    }),
    ...shared.map(([status, response]): Use => {
      const replace = (ref: Json) => {
        byStatus[status] = ref
      }
      const name = responseName(status, response as Json)
      return { kind: 'responses', name, call, text: JSON.stringify(response), replace }
    }),
  ]
}

/** Returns `NotFound` for the response of the code `not_found`, and both names for two codes. */
function responseName(status: string, { description }: Json): string {
  if (status === 'default') return 'AnyProblem'
  if (status === '200') return 'Success'
  const codes = [...String(description).matchAll(/`([a-z_]+)`:/g)].map(([, code = '']) => pascal(code))
  if (codes.length > 2) return `${codes[0]}OrOthers`
  return codes.length > 0 ? codes.join('Or') : 'NotModified'
}

/** Returns a name in Pascal case: `NotFound` for `not_found`. */
function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

type ObjectSchema = { description: string; properties: Record<string, Json>; required: string[] }

/**
 * Moves the members that all problems have in common into a schema of their own, which each problem extends.
 * @param schemas changed in place
 */
export function shareProblemMembers(schemas: Record<string, Json>): void {
  const problems = Object.entries(schemas).filter(
    ([name, { properties }]) => name !== 'Problem' && /Problem$/.test(name) && properties,
  ) as unknown as [string, ObjectSchema][]
  const [first] = problems
  if (!first) return
  const isCommon = ([name, member]: [string, Json]) =>
    problems.every(([, { properties }]) => JSON.stringify(properties[name]) === JSON.stringify(member))
  const common = Object.fromEntries(Object.entries(first[1].properties).filter(isCommon))
  const partOf = ({ properties, required }: ObjectSchema, isPart: (name: string) => boolean) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isPart(name))),
    required: required.filter(isPart),
  })
  for (const [name, problem] of problems) {
    const members = partOf(problem, (member) => !(member in common))
    schemas[name] = {
      description: problem.description,
      allOf: [{ $ref: `#/components/schemas/${BASE}` }, members],
    }
  }
  const description = 'The members of every problem (RFC 9457).'
  schemas[BASE] = { description, ...partOf(first[1], (member) => member in common) }
}

const BASE = 'ProblemDetails'
