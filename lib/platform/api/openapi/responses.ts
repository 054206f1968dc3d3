import type { AnyContract } from '../contract.ts'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import { problemShape } from '../problem-shapes.ts'
import {
  type HeaderName,
  type HeaderNames,
  headersOfAnswer,
  headersOfProblem,
  RESPONSE_HEADERS,
} from './headers.ts'
import type { Json, SchemaOf } from './schema.ts'

/** All that a call may answer, by status: the answer itself, and each problem with its members. */
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
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(contract, codes, schema)])),
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

function refusal(contract: AnyContract, codes: ProblemCode[], schema: SchemaOf): Json {
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

/** Any problem at all, told apart by its code: a client that looks at the code knows its members. */
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

/** A header that an answer always has stands in the components; one that it has at times, where it is. */
function headersIn({ always, sometimes }: HeaderNames): Json {
  return Object.fromEntries([
    ...always.map((name) => [name, { $ref: `${HEADERS}${name}` }]),
    ...sometimes.map((name) => [name, headerOf(name, false)]),
  ])
}

const HEADERS = '#/components/headers/'

/** The headers that these paths refer to. */
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
