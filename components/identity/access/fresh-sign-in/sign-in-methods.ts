'use client'

import { useQuery } from '@tanstack/react-query'
import { readWays } from '#lib/identity/client.ts'

/** All methods, for a failed call: each is offered, and shows its own error. */
const ALL = { password: true, factor: true, signOn: true }

/** Returns the sign-in methods of the signed-in member; reads them on first use, and returns undefined until then. */
export function useSignInMethods(): typeof ALL | undefined {
  const { data, isError } = useQuery({
    queryKey: readWays.key({}),
    queryFn: ({ signal }) => readWays({}, signal),
    retry: false,
  })
  return data ?? (isError ? ALL : undefined)
}
