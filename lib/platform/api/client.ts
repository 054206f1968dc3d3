import { type Filter, formatFilter, formatList } from '#lib/platform/lists/format-filter.ts'
import type { Call } from './call.ts'
import type { AnyContract, Input, Output } from './contract.ts'
import type { ProblemCode } from './problem.ts'
import { type InputError, ProblemError } from './problem-base.ts'
import type { AnyMembers } from './problem-members.ts'

// Schemas stay on the server, which has parsed every response that it sends: types only, so that a page does not carry
// zod.

/** Input of a call in the browser: the decoded values, each part only where the contract has one. */
export type PartialInput<C extends AnyContract> = { [Part in keyof Input<C>]?: Input<C>[Part] }

/** Contract as the browser uses it: calls it, and returns its query key and its path, as for a file. */
type Query<C extends AnyContract> = {
  (input: PartialInput<C>, signal?: AbortSignal): Promise<Output<C>>
  /** Key of the answer in the query cache. */
  key(input: PartialInput<C>): readonly unknown[]
  /** URL path and query string of this answer. */
  path(input: PartialInput<C>): string
  /** Returns the query string without a question mark, as the screen's URL has it, too. */
  search(query: PartialInput<C>['query']): string
}

/** Export names of the contracts in a noun's contract.ts. */
type NameIn<Contracts> = {
  [Name in keyof Contracts]: Contracts[Name] extends AnyContract ? Name : never
}[keyof Contracts]

/** Returns the browser's queries of a noun's contracts by name. They throw a ProblemError for every refusal. */
export function queriesOf<Contracts>(calls: Record<NameIn<Contracts>, Call>): {
  [Name in NameIn<Contracts>]: Contracts[Name] extends AnyContract ? Query<Contracts[Name]> : never
} {
  const queries = Object.entries<Call>(calls).map(([name, call]) => [name, queryOf(call)])
  return Object.fromEntries(queries)
}

function queryOf<C extends AnyContract>({ name, method, path: template }: Call): Query<C> {
  const search = (query: PartialInput<C>['query']) => searchOf(query ?? {})
  const path = (input: PartialInput<C>) => {
    const query = search(input.query)
    return query ? `${pathOf(template, input.params)}?${query}` : pathOf(template, input.params)
  }
  const fetchOutput = async (input: PartialInput<C>, signal?: AbortSignal) => {
    const response = await fetch(path(input), {
      method,
      credentials: 'same-origin',
      ...(signal ? { signal } : {}),
      headers: {
        ...(input.headers as Record<string, string> | undefined),
        ...(input.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok || body === undefined) throw problemOf(response, body)
    if (typeof body === 'object' && body) tags.set(body, response.headers.get('ETag') ?? '')
    return body as Output<C>
  }
  const call = async (input: PartialInput<C>, signal?: AbortSignal) => {
    try {
      return await fetchOutput(input, signal)
    } catch (error) {
      if (!(await isConfirmed(error))) throw error
      // Repeats the request under the same Idempotency-Key: the first one had no effect.
      return fetchOutput(input, signal)
    }
  }
  return Object.assign(call, { path, search, key: (input: PartialInput<C>) => [name, path(input)] as const })
}

let confirm: (() => Promise<boolean>) | undefined

/**
 * Installs the dialog that asks the member to confirm their identity when a request is refused for want of a fresh
 * sign-in. `confirmIdentity` resolves to whether the member confirmed; the request is then sent once more.
 * @returns a function that uninstalls the dialog
 */
export function whenFreshSignInIsRequired(confirmIdentity: () => Promise<boolean>): () => void {
  confirm = confirmIdentity
  return () => {
    if (confirm === confirmIdentity) confirm = undefined
  }
}

async function isConfirmed(error: unknown): Promise<boolean> {
  const needsConfirmation = error instanceof ProblemError && error.code === 'fresh_sign_in_required'
  return needsConfirmation && confirm !== undefined && (await confirm())
}

const tags = new WeakMap<object, string>()

/** Returns the ETag of an answer. */
export function tagOf(answer: object): string | undefined {
  return tags.get(answer) || undefined
}

/**
 * Parameters that hold milliseconds and are sent as seconds: client.test.ts compares them with the
 * contracts.
 */
const TIMES = ['CreationTime', 'Date', 'DueDate', 'PaidDate', 'RenewalTime'].flatMap((name) => [
  `min${name}`,
  `max${name}`,
])

/** Writes decoded values as the query string that the contract reads; absent ones are left out. */
function searchOf(query: object): string {
  const parts = Object.entries(query).flatMap(([name, value]: [string, unknown]) => {
    const text = textOf(value, TIMES.includes(name))
    if (text === '') return []
    // `:` and `|` belong to the filter's grammar: unescaped, so that a view's URL stays readable.
    return `${name}=${encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%7C', '|')}`
  })
  return parts.join('&')
}

function textOf(value: unknown, inSeconds: boolean): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(inSeconds ? Math.floor(value / 1000) : value)
  if (Array.isArray(value)) return formatList(value)
  return typeof value === 'string' ? value : formatFilter(value as Filter<string>)
}

function pathOf(template: string, params: Record<string, string> | undefined): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))
}

function problemOf(response: Response, body: unknown): ProblemError {
  const problemBody = (body ?? {}) as AnyMembers & {
    code?: ProblemCode
    detail?: string
    instance?: string
    errors?: InputError[]
  }
  const isUnavailable = response.ok || response.status >= 500
  const [code, detail]: [ProblemCode, string] = isUnavailable
    ? ['service_unavailable', 'The service is not available for the moment']
    : ['invalid_request', 'The request is not valid']
  const requestId = problemBody.instance ?? response.headers.get('Request-Id') ?? undefined
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const status = response.ok ? 503 : response.status
  return new ProblemError(problemBody.code ?? code, status, problemBody.detail ?? detail, {
    ...(retryAfter > 0 ? { retryAfter } : {}),
    ...(problemBody.errors ? { errors: problemBody.errors } : {}),
    ...(requestId ? { requestId } : {}),
    members: problemBody,
  })
}
