import { z } from 'zod'
import type { AnyContract, Input, Output } from './contract.ts'
import { type InputError, PROBLEMS, Problem, type ProblemCode } from './problem.ts'

/** What a call is given in the browser: the decoded values, each part only where there is one. */
export type Given<C extends AnyContract> = { [Part in keyof Input<C>]?: Input<C>[Part] }

/** A contract as the browser uses it: call it, name its cached answer, or show it as a request. */
export type Call<C extends AnyContract> = {
  (given: Given<C>, signal?: AbortSignal): Promise<Output<C>>
  /** The answer's name in the query cache. */
  key(given: Given<C>): readonly unknown[]
  /** Path and query string that return this answer. */
  path(given: Given<C>): string
}

/** The typed browser call of a contract. It throws a Problem for every refusal. */
export function callOf<C extends AnyContract>(contract: C): Call<C> {
  const path = (given: Given<C>) => pathOf(contract, given)
  const call = async (given: Given<C>, signal?: AbortSignal) => {
    const response = await fetch(path(given), {
      method: contract.method,
      credentials: 'same-origin',
      ...(signal ? { signal } : {}),
      ...(given.body === undefined
        ? {}
        : { body: JSON.stringify(given.body), headers: { 'Content-Type': 'application/json' } }),
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw problemOf(response, body)
    return contract.output.parse(body) as Output<C>
  }
  return Object.assign(call, { path, key: (given: Given<C>) => [contract.name, path(given)] as const })
}

/** Writes decoded values as the query string that the contract reads; absent ones are left out. */
export function searchOf<C extends AnyContract>(contract: C, query: Input<C>['query']): string {
  const encoded = z.encode(contract.query, query) as Record<string, string | undefined>
  const given = Object.entries(encoded).filter(([, value]) => value !== undefined && value !== '')
  // `:` and `|` are the filter's grammar: kept, so that a view's address can be read.
  const parts = given.map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(value as string)
        .replaceAll('%3A', ':')
        .replaceAll('%7C', '|')}`,
  )
  return parts.join('&')
}

function pathOf<C extends AnyContract>(contract: C, given: Given<C>): string {
  const params = (given.params ?? {}) as Record<string, string>
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = searchOf(contract, (given.query ?? {}) as Input<C>['query'])
  return search ? `${path}?${search}` : path
}

function problemOf(response: Response, body: unknown): Problem {
  const given = (body ?? {}) as { code?: string; detail?: string; instance?: string; errors?: InputError[] }
  const code = given.code !== undefined && given.code in PROBLEMS ? (given.code as ProblemCode) : undefined
  const requestId = given.instance ?? response.headers.get('Request-Id') ?? undefined
  const fallback = response.status >= 500 ? 'service_unavailable' : 'invalid_request'
  return new Problem(code ?? fallback, given.detail, {
    ...(given.errors ? { errors: given.errors } : {}),
    ...(requestId ? { requestId } : {}),
    members: given as Record<string, string | number>,
  })
}
