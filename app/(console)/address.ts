import 'server-only'
import type { AnyContract, Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { readInput } from '#lib/platform/api/request.ts'

/** Query string that Next passes to a page. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** Returns a page's query string exactly as in the address, without a question mark. */
export async function searchOf(searchParams: SearchParams): Promise<string> {
  const parts = Object.entries(await searchParams).flatMap(([name, value]) =>
    [value ?? []].flat().map((text) => [name, text]),
  )
  // `:` and `|` are the filter's syntax: left unescaped, so that the address stays readable.
  return new URLSearchParams(parts).toString().replaceAll('%3A', ':').replaceAll('%7C', '|')
}

/** Returns the id in a page's path: Next passes the segment percent-encoded. */
export function idOf(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Decodes a screen's query string with the contract of its API call. Returns a Problem where it is not valid. */
export async function readQuery<C extends AnyContract>(
  contract: C,
  search: string,
): Promise<Input<C>['query'] | Problem> {
  const { path } = contract
  const request = { method: 'GET', path, search, headers: new Headers(), read: async () => new Uint8Array() }
  return readInput(contract, request).then(
    ({ query }) => query,
    (error) => {
      if (error instanceof Problem) return error
      throw error
    },
  )
}
