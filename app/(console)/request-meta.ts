import 'server-only'
import { randomUUID } from 'node:crypto'
import { headers } from 'next/headers'
import type { RequestMeta } from '#lib/platform/api/operation.ts'

/** The request that a page answers, as the front door named it. */
export async function requestMeta(): Promise<RequestMeta> {
  return { requestId: (await headers()).get('request-id') ?? randomUUID() }
}
