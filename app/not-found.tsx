import type { Metadata } from 'next'
import { NothingHere } from '#components/ui/nothing-here.tsx'

export const metadata: Metadata = { title: 'Not found' }

export default function Page() {
  return (
    <main>
      <NothingHere />
    </main>
  )
}
