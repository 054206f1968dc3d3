import 'server-only'
import { authenticate } from '#lib/platform/caller/authenticate.ts'
import { countedCaller } from '#lib/platform/caller/limits/counted-caller.ts'
import type { Kind } from '#lib/platform/caller/limits/kind.ts'
import { readTurn } from '#lib/platform/caller/limits/read-turns.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { isPieces, startSending } from '#lib/platform/files/stream.ts'
import { traceDenial, traceExport } from '#lib/platform/history/requests.ts'
import type { AnyContract } from './contract.ts'
import { conditional } from './entity-tag.ts'
import { type ApiResponse, guarded } from './guarded.ts'
import { operationFor, operationOf } from './methods.ts'
import { type AnyOperation, checkOpen, checkPermission } from './operation.ts'
import { PROBLEMS, Problem, toProblem } from './problem.ts'
import { written } from './protocol/written.ts'
import { type ApiRequest, readInput } from './request.ts'
import { checkSameOrigin } from './same-origin.ts'

/**
 * Answers one request to the path of these operations. Never throws. The order of the checks is the
 * contract's: 401, 429, 405, 403, 415, 413, 400, then the operation's own.
 */
export function answer(operations: AnyOperation[], request: ApiRequest): Promise<ApiResponse> {
  const { path: route = 'unknown', protocol } = (operations[0]?.contract ?? {}) as Partial<AnyContract>
  const performed = (requestId: string, always: (fields: Record<string, string>) => void) =>
    perform(operations, request, requestId, always)
  return guarded(request, route, performed, protocol?.refusals)
}

async function perform(
  operations: AnyOperation[],
  request: ApiRequest,
  requestId: string,
  always: (fields: Record<string, string>) => void,
): Promise<ApiResponse> {
  const isPublic = operations.every(({ contract }) => contract.permission === 'none')
  const kind = () => kindOf(operations, request)
  const door = operations[0]?.contract.protocol?.door
  const { caller, fields } = (isPublic ? undefined : await countedCaller(request.headers, kind, door)) ?? {}
  if (!isPublic) checkPermission(caller, 'any')
  if (fields) always(fields)
  const operation = operationFor(operations, request.method)
  const { contract } = operation
  const admitted = async () => {
    checkPermission(caller, contract.permission)
    if (contract.method !== 'GET' && caller?.via === 'session') checkSameOrigin(request.headers)
    checkOpen(caller, contract)
    const end = caller && (await readTurn(contract, caller.customerId))
    return replied(operation, caller as Caller, request, requestId)
      .catch((error) => promised(contract, error))
      .finally(end)
  }
  return admitted().catch((error) =>
    denied(error, caller, { call: contract.name, path: request.path }, requestId),
  )
}

/** What a request counts as. A dry run changes nothing. */
function kindOf(operations: AnyOperation[], { method, search }: ApiRequest): Kind {
  const limit = operationOf(operations, method)?.contract.limit ?? 'requests'
  return limit === 'changes' && /(^|&)dryRun=true(&|$)/.test(search) ? 'requests' : limit
}

/** That a caller is refused, before an operation or by it, stands in the history of their customer. */
async function denied(
  error: unknown,
  caller: Caller | undefined,
  called: { call: string; path: string },
  requestId: string,
): Promise<never> {
  if (caller && error instanceof Problem && PROBLEMS[error.code].status === 403) {
    const { code, more } = error
    await traceDenial(caller, { ...called, code, permission: more.members?.permission }, requestId)
  }
  throw error
}

/** A body that takes longer to arrive than this is acted on by who its caller is then. */
const SLOW_MS = 1000

async function lookedUpAnew({ contract }: AnyOperation, { headers }: ApiRequest): Promise<Caller> {
  const caller =
    contract.permission === 'none' ? undefined : await authenticate(headers, contract.protocol?.door)
  checkPermission(caller, contract.permission)
  checkOpen(caller, contract)
  return caller as Caller
}

async function replied(
  operation: AnyOperation,
  caller: Caller,
  request: ApiRequest,
  requestId: string,
): Promise<ApiResponse> {
  const began = performance.now()
  const input = await readInput(operation.contract, request)
  const current = performance.now() - began > SLOW_MS ? await lookedUpAnew(operation, request) : caller
  const reply = await operation(current, input, { requestId })
  if (operation.contract.protocol) return written(operation.contract.protocol, request, reply)
  const { body, headers = {}, version, saved } = reply
  const leaving = async () => {
    const { method, path, search: query } = request
    // What is there for whoever holds a link is nobody's export.
    if (caller && method !== 'HEAD')
      await traceExport(caller, { call: operation.contract.name, path, query }, requestId)
  }
  if (body instanceof Uint8Array) {
    const file = conditional(request, body, headers, version)
    if (file.status === 200) await leaving()
    return file
  }
  if (isPieces(body)) {
    await leaving()
    return { status: 200, headers, body: await startSending(body, request.gone) }
  }
  // A browser keeps nothing that a cookie has read: whoever sits down before it next would find it.
  const kept = caller?.via === 'session' ? 'no-store' : 'private, no-cache'
  const json = { 'Content-Type': 'application/json', 'Cache-Control': kept, ...headers }
  // As bytes from here on: text would be encoded for its tag, for its length and for the socket, each time anew.
  return conditional(request, Buffer.from(saved ?? JSON.stringify(body)), json, version)
}

/** A problem that the contract does not list is our own fault, as an answer that breaks its schema is: 500. */
function promised({ name, problems }: AnyContract, error: unknown): never {
  const { code, message } = toProblem(error)
  if (problems.includes(code)) throw error
  throw new Error(`${name} answered ${code}, which its contract does not list: ${message}`)
}
