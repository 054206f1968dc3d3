'use client'

import { type Failure, RouteError } from '#components/platform/problem/route-error.tsx'

export default function Page(failure: Failure) {
  return (
    // Replaces the frame, which has the `main` element otherwise.
    <main>
      <RouteError {...failure} />
    </main>
  )
}
