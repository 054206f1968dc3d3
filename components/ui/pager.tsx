import { ChevronLeft, ChevronRight } from 'lucide-react'
import { ButtonLink } from './button-link.tsx'
import { LinkHint } from './link-hint.tsx'

/** Newer and older pages of a list, each by its address; nothing where there is one page only. */
export function Pager({ newer, older }: { newer: string | undefined; older: string | undefined }) {
  if (!newer && !older) return null
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between gap-2">
      {newer ? (
        <ButtonLink href={newer} prefetch={false}>
          <ChevronLeft aria-hidden="true" className="size-4" />
          Newer
          <LinkHint />
        </ButtonLink>
      ) : (
        <span />
      )}
      {older ? (
        <ButtonLink href={older} prefetch={false}>
          <LinkHint />
          Older
          <ChevronRight aria-hidden="true" className="size-4" />
        </ButtonLink>
      ) : null}
    </nav>
  )
}
