import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { findPage } from '../content.ts'
import { DevelopersScreen } from '../screen.tsx'

type Params = Promise<{ page: string }>

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const page = findPage((await params).page)
  return { title: page ? `${page.title} · Developers` : 'Not found' }
}

export default async function Page({ params }: { params: Params }) {
  const page = findPage((await params).page)
  if (!page) notFound()
  return <DevelopersScreen page={page} />
}
