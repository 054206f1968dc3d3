import type { z } from 'zod'
import type { AnyContract } from '../contract.ts'
import { PROBLEM_TYPE, PROBLEMS, type ProblemCode } from '../problem.ts'
import { problemShape } from '../problem-members.ts'
import { isPaged } from '../request.ts'
import type { Json, SchemaOf } from './document.ts'

/** Returns all responses of a call by status: the answer itself, and each problem with its members. */
export function responsesOf(contract: AnyContract, schema: SchemaOf): Json {
  const { method, output, problems } = contract
  const { mediaType = 'application/json', otherType, streamed } = output.meta() ?? {}
  const headers = headersIn(headersOfAnswer(contract))
  // In one order, so that calls with the same codes share a response.
  const ordered = CODES.filter((code) => problems.includes(code) && !ANYWHERE.includes(code))
  const byStatus = Map.groupBy(ordered, (code) => PROBLEMS[code].status)
  return {
    200: {
      description: output.description ?? 'Done.',
      headers,
      content: {
        [String(mediaType)]: { schema: answerSchema(contract, schema), ...exampleOf(contract) },
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
      description: `Any other problem: ${ANYWHERE.map((code) => `\`${code}\` (${PROBLEMS[code].status})`).join(', ')}. Codes may be added.`,
      headers: headersIn(headersOfProblem(contract, ANYWHERE)),
      content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  }
}

function answerSchema({ output }: AnyContract, schema: SchemaOf): Json {
  const mediaType = output.meta()?.mediaType as string | undefined
  if (mediaType === undefined) return schema(output, 'output')
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

function problemResponse(contract: AnyContract, codes: ProblemCode[], schema: SchemaOf): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    ...headersField(headersOfProblem(contract, codes)),
    content: { [PROBLEM_TYPE]: { schema: oneOfProblems(codes, schema) } },
  }
}

/** Returns the schema of any problem, discriminated by code: a client that reads the code knows the members. */
export function anyProblem(schema: SchemaOf): Json {
  return { description: 'Any problem, told apart by its code.', ...oneOfProblems(CODES, schema) }
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

function oneOfProblems(codes: ProblemCode[], schema: SchemaOf): Json {
  const refs = codes.map((code) => schema(problemShape(code), 'output').$ref as string)
  const [$ref] = refs
  if (refs.length === 1) return { $ref }
  const mapping = Object.fromEntries(codes.map((code, index) => [code, refs[index]]))
  return { oneOf: refs.map(($ref) => ({ $ref })), discriminator: { propertyName: 'code', mapping } }
}

/** Returns the member `headers` of a response; none where there are no headers. */
function headersField(names: HeaderNames): Json {
  const headers = headersIn(names)
  return Object.keys(headers).length > 0 ? { headers } : {}
}

/** Returns references for the headers that an answer always or sometimes has. */
function headersIn({ always, sometimes }: HeaderNames): Json {
  return Object.fromEntries([
    ...always.map((name) => [name, { $ref: `${HEADERS}${name}` }]),
    ...sometimes.map((name) => [name, { $ref: `${HEADERS}${OPTIONAL}${name}` }]),
  ])
}

const HEADERS = '#/components/headers/'
const OPTIONAL = 'Optional-'

/** Returns the definitions of the headers that these parts of the document refer to. */
export function headerComponents(parts: Json): Json {
  const text = JSON.stringify(parts)
  const headers = Object.entries(RESPONSE_HEADERS).flatMap(([name, header]) => {
    const { description, type = 'string' }: { description: string; type?: string } = header
    const schema = { type }
    return [
      [name, { description, required: true, schema }],
      [`${OPTIONAL}${name}`, { description, required: false, schema }],
    ] as const
  })
  return Object.fromEntries(headers.filter(([name]) => text.includes(`"${HEADERS}${name}"`)))
}

/** Codes that any call may answer before its operation runs, and that need no status of their own. */
export const ANYWHERE: readonly ProblemCode[] = [
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'headers_too_large',
  'internal_error',
]

/** Returns an example of the answer to a call that succeeds; `/developers` shows all, and those of problems. */
function exampleOf({ examples }: AnyContract): Json {
  const first = examples.find(({ answer: { status, body } }) => status === 200 && body !== undefined)
  return first ? { examples: { [first.name]: { value: first.answer.body } } } : {}
}

/**
 * Response headers, other than those of HTTP itself and those of every answer, which the document's description names
 * once.
 */
const RESPONSE_HEADERS = {
  ETag: { description: 'Names this state of the answer: If-None-Match asks whether it still fits.' },
  'Content-Disposition': { description: 'The name under which the file is saved.' },
  Link: {
    description:
      'Addresses of the next and the previous page (RFC 8288), with `rel="next"` and `rel="prev"`. Absent where there is neither.',
  },
  'Content-Encoding': { description: '`br` or `gzip`, where Accept-Encoding asks for it.' },
  Vary: { description: 'Always `Accept-Encoding`.' },
  'Access-Control-Allow-Origin': { description: 'Always `*`: pages of any site may read it.' },
  'Cross-Origin-Resource-Policy': { description: 'Always `cross-origin`.' },
  'Content-Location': { description: 'Where what is answered is found, by the id that it has there.' },
  'Repr-Digest': { description: 'SHA-256 of the file, as RFC 9530 writes it: `sha-256=:…:`.' },
  'Dry-Run': { description: '`true` where the call was a dry run: nothing was sent, nothing stored.' },
  'Retry-After': { description: 'After how many seconds to ask again.', type: 'integer' },
  'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.' },
  Allow: { description: 'The methods that this path has.' },
} as const satisfies Record<string, { description: string; type?: 'integer' }>

export type HeaderName = keyof typeof RESPONSE_HEADERS
/** Headers of an answer: those of every answer, and those of some. */
type HeaderNames = { always: readonly HeaderName[]; sometimes: readonly HeaderName[] }

/** Parts of a contract that determine its headers. */
type Declared = { responseHeaders: readonly HeaderName[] }

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
function headersOfAnswer(contract: Declared & { output: z.ZodType; query: z.ZodObject }): HeaderNames {
  const { output, responseHeaders } = contract
  const { mediaType, streamed } = output.meta() ?? {}
  const tag = streamed ? [] : (['ETag'] as const)
  const name = mediaType ? (['Content-Disposition'] as const) : []
  return {
    always: [...tag, ...name],
    sometimes: [...responseHeaders, ...(isPaged(contract) ? (['Link'] as const) : [])],
  }
}

/** Headers of a call that its problems carry, too. */
const ALSO_OF_PROBLEMS: readonly HeaderName[] = ['Dry-Run']

/** Returns the headers of a problem with one of these codes. */
function headersOfProblem({ responseHeaders }: Declared, codes: readonly ProblemCode[]): HeaderNames {
  const problemHeaders = codes.map((code) => OF_PROBLEM[code])
  const named = [...new Set(problemHeaders)].filter((name) => name !== undefined)
  const isCommon = (name: HeaderName) => problemHeaders.every((each) => each === name)
  return {
    always: named.filter(isCommon),
    sometimes: [
      ...named.filter((name) => !isCommon(name)),
      ...responseHeaders.filter((name) => ALSO_OF_PROBLEMS.includes(name)),
    ],
  }
}
