import 'server-only'
import { byteBudget } from '#lib/platform/runtime/concurrency.ts'
import type { ApiResponse } from './endpoint.ts'
import { isOutgoing } from './operation.ts'

const MB = 1024 * 1024

/** Bytes of answers that their clients have not taken yet: slow readers make a process hold them. */
const unread = byteBudget({ all: 80 * MB, each: 24 * MB, anonymous: 8 * MB })

/** Bytes of a file that is made while it is sent: a batch of its rows, as rows and as text. */
const STREAM_BYTES = 2 * MB

/**
 * Checks before a read that its client, and all clients, have taken enough of their former answers. Changes are never
 * refused for it.
 * @throws Problem `service_unavailable`, to unknown clients first
 */
export function checkUnread(method: string, customerId: string | undefined): void {
  if (method === 'GET' || method === 'HEAD') unread.check(customerId)
}

/** Counts an answer until the returned function is called, at its end. */
export function holdUnread({ body }: ApiResponse, customerId: string | undefined): () => void {
  if (body === null) return () => {}
  return unread.hold(isOutgoing(body) ? (body.size ?? STREAM_BYTES) : Buffer.byteLength(body), customerId)
}
