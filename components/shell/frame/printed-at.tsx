'use client'

import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Moment } from '#components/platform/values/times.tsx'

/** When the sheet was printed, in UTC: the page may have stood open since yesterday. `now` is when it was made. */
export function PrintedAt({ now }: { now: number }) {
  const [at, setAt] = useState(now)
  useEffect(() => {
    const renew = () => flushSync(() => setAt(Date.now()))
    addEventListener('beforeprint', renew)
    return () => removeEventListener('beforeprint', renew)
  }, [])
  return (
    <>
      Printed <Moment at={at} /> UTC
    </>
  )
}
