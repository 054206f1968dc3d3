import Link from 'next/link'
import { hrefOf, type View } from '#components/billing/invoices/view.ts'
import { GoLink } from '#components/ui/go-link.tsx'
import type { Figure } from '../invoices/figure.ts'

export type Go = (view: View) => void

/** What a figure is made of, as the way there. */
export function FigureNote({
  figure: { name, note, more, view, change },
  currency,
  onGo,
}: {
  figure: Figure
  currency: string
  onGo: Go
}) {
  if (!view) return note
  return (
    <>
      <GoLink
        href={hrefOf(view)}
        onGo={() => onGo(view)}
        className="rounded-sm text-ink-2 underline decoration-line-2 underline-offset-2 hover:text-ink hover:decoration-current"
      >
        <span className="sr-only">
          {name}, {currency}:{' '}
        </span>
        {note}
      </GoLink>
      {more ? `, ${more}` : null}
      {change ? <Change {...change} /> : null}
    </>
  )
}

/** By how much it is more or less than the month before, and the way to why. */
function Change({ text, explained }: NonNullable<Figure['change']>) {
  if (!explained) return `, ${text}`
  return (
    <>
      {', '}
      <Link
        href={explained}
        prefetch={false}
        className="rounded-sm text-ink-2 underline decoration-line-2 underline-offset-2 hover:text-ink hover:decoration-current"
      >
        <span className="sr-only">Explain: </span>
        {text}
      </Link>
    </>
  )
}
