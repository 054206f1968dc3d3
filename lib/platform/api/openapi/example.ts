import { Problem, type ProblemCode } from '../problem.ts'

/** Example of a call and its answer in the API's description; promises.test.ts sends and compares each. */
export type Example = {
  /** Hyphenated name, unique among the examples of the call. */
  name: string
  summary: string
  params?: Record<string, string>
  query?: Record<string, string | number | boolean>
  headers?: Record<string, string>
  body?: unknown
  /** Sender where a key is not allowed: a member who has just signed in. */
  by?: 'session'
  /** Answer of the call; `body` is absent where the body is binary. */
  answer: { status: number; body?: unknown }
}

/** Address of the console in each example. */
export const EXAMPLE_URL = 'https://console.example.com'
/** Request id of each example. */
export const EXAMPLE_REQUEST = '7d9c5a50-2f0e-4c1b-9a53-0c6d1f4b8e21'

/** Returns the answer to an example that is refused. */
export function problemAnswer<Code extends ProblemCode>(
  code: Code,
  detail?: string,
  more?: ConstructorParameters<typeof Problem<Code>>[2],
): Example['answer'] {
  const problem = new Problem(code, detail, more)
  const body = problem.body(EXAMPLE_REQUEST)
  return { status: problem.status, body: { ...body, type: EXAMPLE_URL + body.type } }
}
