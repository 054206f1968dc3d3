import { ChevronLeft, ChevronRight } from 'lucide-react'
import { ButtonLink } from './button-link.tsx'
import { LinkSpinner } from './link-spinner.tsx'

/**
 * Links to the previous and the next page of a list; renders nothing for a single page. Lists with the newest first
 * label them newer and older; a list in another order passes its own labels.
 */
export function Pager({
  newer,
  older,
  labels: [before, after] = ['Newer', 'Older'],
}: {
  newer: string | undefined
  older: string | undefined
  labels?: readonly [before: string, after: string]
}) {
  if (!newer && !older) return null
  return (
    <>
      <p className="mt-4 hidden text-xs print:block">This is one page of a longer list.</p>
      <nav aria-label="Pages" className="mt-4 flex justify-between gap-2">
        {newer ? (
          <ButtonLink href={newer} prefetch={false}>
            <LinkSpinner>
              <ChevronLeft aria-hidden="true" className="size-4" />
            </LinkSpinner>
            {before}
          </ButtonLink>
        ) : (
          <span />
        )}
        {older ? (
          <ButtonLink href={older} prefetch={false}>
            {after}
            <LinkSpinner>
              <ChevronRight aria-hidden="true" className="size-4" />
            </LinkSpinner>
          </ButtonLink>
        ) : null}
      </nav>
    </>
  )
}
