'use client'

import { type Failure, RouteError } from '#components/platform/problem/route-error.tsx'

export default function Page(failure: Failure) {
  return <RouteError {...failure} />
}
