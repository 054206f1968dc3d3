import type { Metadata } from 'next'
import { Missing } from './missing.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function Page() {
  return (
    <main>
      <Missing />
    </main>
  )
}
