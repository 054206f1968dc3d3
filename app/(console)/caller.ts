import 'server-only'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { session } from '#lib/platform/caller/session.ts'

/** Returns the signed-in caller of the page being rendered, read once per request; undefined without a session. */
export const currentCaller = cache(async (): Promise<Caller | undefined> => session(await headers()))

/**
 * Returns the signed-in caller, or redirects to the sign-in page and back here.
 * @param path of the page, with its query string
 */
export async function requireCaller(path: string): Promise<Caller> {
  return (await currentCaller()) ?? redirect(`/sign-in?from=${encodeURIComponent(path)}`)
}
