import type { z } from 'zod'
import type { AnyContract } from '../contract.ts'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import { problemShape } from '../problem-schemas.ts'
import type { Json, SchemaOf } from './document.ts'

/** Returns all responses of a call by status: the answer itself, and each problem with its members. */
export function responsesOf(contract: AnyContract, schema: SchemaOf): Json {
  const { method, output, problems } = contract
  const { mediaType = 'application/json', otherType, streamed } = output.meta() ?? {}
  const headers = headersIn(headersOfAnswer(contract))
  const byStatus = Map.groupBy(problems, (code) => PROBLEMS[code].status)
  return {
    200: {
      description: output.description ?? 'Done.',
      headers,
      content: {
        [String(mediaType)]: { schema: answerSchema(contract, schema), ...examplesOf(contract, 200) },
        ...(otherType ? { [String(otherType)]: { schema: answerSchema(contract, schema) } } : {}),
      },
    },
    ...(method === 'GET' && !streamed
      ? { 304: { description: 'Not modified: what If-None-Match names still fits.', headers } }
      : {}),
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [status, problemResponse(contract, codes, schema)]),
    ),
    default: {
      description: 'Any other problem. Codes may be added.',
      headers: headersIn(headersOfProblem(contract, [])),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  }
}

function answerSchema({ output }: AnyContract, schema: SchemaOf): Json {
  const mediaType = output.meta()?.mediaType as string | undefined
  if (mediaType === undefined) return schema(output, 'output')
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

function problemResponse(contract: AnyContract, codes: ProblemCode[], schema: SchemaOf): Json {
  const status = PROBLEMS[codes[0] as ProblemCode].status
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: headersIn(headersOfProblem(contract, codes)),
    content: {
      'application/problem+json': {
        schema: oneOfProblems(codes, schema),
        ...examplesOf(contract, status),
      },
    },
  }
}

/** Returns the schema of any problem, discriminated by code: a client that reads the code knows the members. */
export function anyProblem(schema: SchemaOf): Json {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  return { description: 'Any problem, told apart by its code.', ...oneOfProblems(codes, schema) }
}

function oneOfProblems(codes: ProblemCode[], schema: SchemaOf): Json {
  const refs = codes.map((code) => schema(problemShape(code), 'output').$ref as string)
  const [$ref] = refs
  if (refs.length === 1) return { $ref }
  const mapping = Object.fromEntries(codes.map((code, index) => [code, refs[index]]))
  return { oneOf: refs.map(($ref) => ({ $ref })), discriminator: { propertyName: 'code', mapping } }
}

/**
 * Returns references for headers that an answer always has, and inline definitions for headers that it sometimes has.
 */
function headersIn({ always, sometimes }: HeaderNames): Json {
  return Object.fromEntries([
    ...always.map((name) => [name, { $ref: `${HEADERS}${name}` }]),
    ...sometimes.map((name) => [name, headerOf(name, false)]),
  ])
}

const HEADERS = '#/components/headers/'

/** Returns the definitions of the headers that these paths refer to. */
export function headerComponents(paths: Json): Json {
  const names = Object.keys(RESPONSE_HEADERS) as HeaderName[]
  const text = JSON.stringify(paths)
  const used = names.filter((name) => text.includes(`"${HEADERS}${name}"`))
  return Object.fromEntries(used.map((name) => [name, headerOf(name, true)]))
}

function headerOf(name: HeaderName, required: boolean): Json {
  const { description, type = 'string' }: { description: string; type?: string } = RESPONSE_HEADERS[name]
  return { description, required, schema: { type } }
}

function examplesOf({ examples }: AnyContract, status: number): Json {
  const same = examples.filter(({ answer }) => answer.status === status && answer.body !== undefined)
  if (same.length === 0) return {}
  const named = same.map(({ name, summary, answer }) => [name, { summary, value: answer.body }])
  return { examples: Object.fromEntries(named) }
}

/** Response headers, other than those of HTTP itself. */
const RESPONSE_HEADERS = {
  'Request-Id': {
    description:
      'Names this request in our logs. A request may bring its own: 8 to 64 of A-Z, a-z, 0-9, _ and -.',
  },
  'Cache-Control': { description: 'Who may keep the answer, and how.' },
  'X-Content-Type-Options': { description: 'Always `nosniff`.' },
  ETag: { description: 'Names this state of the answer: If-None-Match asks whether it still fits.' },
  'Content-Disposition': { description: 'The name under which the file is saved.' },
  'Content-Location': { description: 'Where what is answered is found, by the id that it has there.' },
  'Repr-Digest': { description: 'SHA-256 of the file, as RFC 9530 writes it: `sha-256=:…:`.' },
  'Dry-Run': { description: '`true` where the call was a dry run: nothing was sent, nothing stored.' },
  'RateLimit-Policy': {
    description:
      'The limits that the request counts for, as the IETF draft on RateLimit header fields writes them: `q` requests in `w` seconds.',
  },
  RateLimit: {
    description:
      'How these limits stand: `r` requests are left, as far as the process that answers knows, and in `t` seconds the next minute begins.',
  },
  'Retry-After': { description: 'After how many seconds to ask again.', type: 'integer' },
  'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.' },
  Allow: { description: 'The methods that this path has.' },
} as const satisfies Record<string, { description: string; type?: 'integer' }>

export type HeaderName = keyof typeof RESPONSE_HEADERS
/** Headers of an answer: those of every answer, and those of some. */
type HeaderNames = { always: readonly HeaderName[]; sometimes: readonly HeaderName[] }

/** Parts of a contract that determine its headers. */
type Declared = { responseHeaders: readonly HeaderName[]; permission: string }

const COMMON_HEADERS: readonly HeaderName[] = ['Request-Id', 'Cache-Control', 'X-Content-Type-Options']

/**
 * Headers with the caller's quota, or for an unauthenticated caller that of the address, as the product's own server
 * counts it.
 */
const LIMITS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit']
const OF_PROBLEM: Partial<Record<ProblemCode, HeaderName>> = {
  unauthenticated: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  rate_limited: 'Retry-After',
  change_in_progress: 'Retry-After',
  vendor_unavailable: 'Retry-After',
  outcome_unknown: 'Retry-After',
  service_unavailable: 'Retry-After',
}

/** Returns the headers of a successful answer (200) and of an unmodified one (304). */
function headersOfAnswer(contract: Declared & { output: z.ZodType }): HeaderNames {
  const { output, responseHeaders, permission } = contract
  const { mediaType, streamed } = output.meta() ?? {}
  const isAuthenticated = permission !== 'none'
  const tag = streamed ? [] : (['ETag'] as const)
  const name = mediaType ? (['Content-Disposition'] as const) : []
  return {
    always: [...COMMON_HEADERS, ...(isAuthenticated ? LIMITS : []), ...tag, ...name],
    sometimes: [...responseHeaders, ...(isAuthenticated ? [] : LIMITS)],
  }
}

/** Returns the headers of a problem with one of these codes. */
function headersOfProblem(
  { responseHeaders }: Pick<Declared, 'responseHeaders'>,
  codes: readonly ProblemCode[],
): HeaderNames {
  const problemHeaders = codes.map((code) => OF_PROBLEM[code])
  const named = [...new Set(problemHeaders)].filter((name) => name !== undefined)
  const isCommon = (name: HeaderName) => problemHeaders.every((each) => each === name)
  return {
    always: [...COMMON_HEADERS, ...named.filter(isCommon)],
    sometimes: [...named.filter((name) => !isCommon(name)), ...responseHeaders, ...LIMITS],
  }
}
