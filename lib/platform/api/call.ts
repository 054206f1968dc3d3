import type { Method } from './contract.ts'

/**
 * Name, method and path of a call. The contract and the browser's query, which carries no schemas, are both built from
 * them.
 */
export type Call = { name: string; method: Method; path: string }

/** Names a noun's calls, each written once: `listAssets: 'GET /billing/v1/assets'`. */
export function routesOf<Name extends string>(
  lines: Record<Name, `${Method} /${string}`>,
): Record<Name, Call> {
  const calls = Object.entries<string>(lines).map(([name, line]) => {
    const [method, path] = line.split(' ')
    return [name, { name, method, path }]
  })
  return Object.fromEntries(calls)
}
