import type { Method } from './contract.ts'

/** How a call is asked for. Its contract is made of it, and so is the browser's query, which carries no schemas. */
export type Call = { name: string; method: Method; path: string }

/** A noun's calls by their names, each written once: `listAssets: 'GET /billing/v1/assets'`. */
export function callsOf<Name extends string>(
  lines: Record<Name, `${Method} /${string}`>,
): Record<Name, Call> {
  const calls = Object.entries<string>(lines).map(([name, line]) => {
    const [method, path] = line.split(' ')
    return [name, { name, method, path }]
  })
  return Object.fromEntries(calls)
}
