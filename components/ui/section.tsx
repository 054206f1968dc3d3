import { type ReactNode, useId } from 'react'
import { Card } from './card.tsx'

/** Section of a settings screen: description, add button and content. */
export function Section({
  title,
  about,
  action,
  children,
}: {
  title: string
  about: string
  action?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Card>
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5 px-5 py-4">
          <div className="min-w-0 flex-1 basis-60">
            <h2 id={id} className="text-lg font-semibold">
              {title}
            </h2>
            <p className="mt-0.5 text-sm text-ink-3">{about}</p>
          </div>
          {action}
        </div>
        {children}
      </Card>
    </section>
  )
}

/** Placeholder of an empty section. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="border-t border-line px-5 py-6 text-center text-ink-3">{children}</p>
}
