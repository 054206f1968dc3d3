import { Problem, type ProblemCode } from '../problem.ts'

/** A call and its answer, as the API's description shows them; promises.test.ts sends and compares each. */
export type Example = {
  /** A word, or several with hyphens, that no other example of its call has. */
  name: string
  summary: string
  params?: Record<string, string>
  query?: Record<string, string | number | boolean>
  headers?: Record<string, string>
  body?: unknown
  /** Who sends it, where no key may: a member who has just signed in. */
  by?: 'session'
  /** Without a body where that is binary. */
  answer: { status: number; body?: unknown }
}

/** The request id of each example. */
export const EXAMPLE_REQUEST = '7d9c5a50-2f0e-4c1b-9a53-0c6d1f4b8e21'

/** What an example that is refused is answered. */
export function problemAnswer<Code extends ProblemCode>(
  code: Code,
  detail?: string,
  more?: ConstructorParameters<typeof Problem<Code>>[2],
): Example['answer'] {
  const problem = new Problem(code, detail, more)
  return { status: problem.status, body: problem.body(EXAMPLE_REQUEST) }
}
