import type { Metadata } from 'next'
import { MissingContent } from './missing.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function Page() {
  return (
    <main>
      <MissingContent />
    </main>
  )
}
