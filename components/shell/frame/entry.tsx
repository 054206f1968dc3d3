import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Brand } from './brand.tsx'

/** Page of the sign-in flow, without the frame: logo, title and content. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh grid-cols-1 place-items-center p-6 max-md:p-3.5">
      <Card className="w-full max-w-95 p-7 max-md:p-5">
        <Brand />
        <h1 className="mt-4 text-title">{title}</h1>
        {children}
      </Card>
    </main>
  )
}
