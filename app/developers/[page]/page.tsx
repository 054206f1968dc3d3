import type { Metadata } from 'next'
import { findPage, requirePage } from '../content.ts'
import { DevelopersScreen } from '../screen.tsx'

type Params = Promise<{ page: string }>

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const page = findPage((await params).page)
  return { title: page ? `${page.title} · Developers` : 'Not found' }
}

export default async function Page({ params }: { params: Params }) {
  return <DevelopersScreen page={requirePage((await params).page)} />
}
