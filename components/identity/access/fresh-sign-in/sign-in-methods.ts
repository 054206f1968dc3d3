'use client'

import { useQuery } from '@tanstack/react-query'
import { readWays } from '#lib/identity/client.ts'

/** Where nobody knows, each is offered, and says itself whether it works. */
const ALL = { password: true, factor: true, signOn: true }

/** By what the signed-in member can prove who they are: asked when somebody wants to know, and undefined until then. */
export function useSignInMethods(): typeof ALL | undefined {
  const { data, isError } = useQuery({
    queryKey: readWays.key({}),
    queryFn: ({ signal }) => readWays({}, signal),
    retry: false,
  })
  return data ?? (isError ? ALL : undefined)
}
