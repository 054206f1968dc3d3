import 'server-only'
import { randomUUID } from 'node:crypto'
import { headers } from 'next/headers'
import type { RequestMeta } from '#lib/platform/api/operation.ts'

/** Returns the id of the request being answered, as set by the front door. */
export async function requestMeta(): Promise<RequestMeta> {
  return { requestId: (await headers()).get('request-id') ?? randomUUID() }
}
