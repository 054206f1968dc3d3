import type { AnyOperation } from './operation.ts'
import { Problem } from './problem.ts'

/** What Next carries to a route: each has a handler there, so that none gets an answer of Next's own. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The operation of a path that has this method; HEAD is a GET without its body. */
export function operationOf(operations: readonly AnyOperation[], method: string): AnyOperation | undefined {
  return operations.find(({ contract }) => contract.method === (method === 'HEAD' ? 'GET' : method))
}

/**
 * The operation of a path that has this method.
 * @throws Problem `method_not_allowed`, with the methods that the path has
 */
export function operationFor(operations: readonly AnyOperation[], method: string): AnyOperation {
  const found = operationOf(operations, method)
  if (found) return found
  const allowed = operations.flatMap(({ contract }) =>
    contract.method === 'GET' ? ['GET', 'HEAD'] : [contract.method],
  )
  throw new Problem('method_not_allowed', `Use ${allowed.join(' or ')} here.`, {
    headers: { Allow: allowed.join(', ') },
  })
}
