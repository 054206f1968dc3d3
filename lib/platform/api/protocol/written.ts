import 'server-only'
import { isKnown } from '../entity-tag.ts'
import type { ApiResponse } from '../guarded.ts'
import type { Reply } from '../operation.ts'
import type { ApiRequest } from '../request.ts'
import type { Protocol } from './protocol.ts'

/** An answer as a protocol has it: `version` is the whole ETag, since the protocol's bodies tell it, too. */
export function written(
  { type }: Protocol,
  request: ApiRequest,
  { body, headers, version, status }: Reply<unknown>,
): ApiResponse {
  const kept = {
    'Cache-Control': 'no-store',
    ...headers,
    ...(version === undefined ? {} : { ETag: version }),
  }
  if (status === 204) return { status, headers: kept, body: null }
  if (isKnown(request, version)) return { status: 304, headers: kept, body: null }
  const text = Buffer.from(JSON.stringify(body))
  return { status: status ?? 200, headers: { 'Content-Type': type, ...kept }, body: text }
}
