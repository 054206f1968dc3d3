'use client'

import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Moment } from '#components/platform/values/times.tsx'

/** Time of printing, in UTC: the page may have been open since yesterday. `now` is the time of its rendering. */
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
