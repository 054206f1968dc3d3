'use client'

import { type Failure, RouteError } from '#components/platform/problem/route-error.tsx'

export default function Page(failure: Failure) {
  return (
    // In place of the frame, whose main it would be in.
    <main>
      <RouteError {...failure} />
    </main>
  )
}
