import type { Metadata } from 'next'
import { Missing } from '../../missing.tsx'
import { findPage } from '../content.ts'
import { DevelopersScreen } from '../screen.tsx'

type Params = Promise<{ page: string }>

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const page = findPage((await params).page)
  return { title: page ? `${page.title} · Developers` : 'Page not found' }
}

export default async function Page({ params }: { params: Params }) {
  const page = findPage((await params).page)
  if (page) return <DevelopersScreen page={page} />
  return (
    <main>
      <Missing />
    </main>
  )
}
