'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { invoiceHref } from '#components/billing/invoices/view.ts'
import { pagerLabels } from '#components/lists/filters/list-sort.ts'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'

/** Links to the previous and the next invoice in the list that `search` selects. */
export function NeighbourLinks({
  newer,
  older,
  search,
}: {
  newer?: string | undefined
  older?: string | undefined
  search: string
}) {
  if (newer === undefined && older === undefined) return null
  const [before, after] = pagerLabels(new URLSearchParams(search).get('orderBy') ?? undefined)
  return (
    <nav aria-label="Other invoices of the list" className="flex gap-2">
      <Neighbour id={newer} search={search}>
        <ArrowUp aria-hidden="true" className="size-3.5" />
        <span className="max-md:sr-only">{before}</span>
      </Neighbour>
      <Neighbour id={older} search={search}>
        <ArrowDown aria-hidden="true" className="size-3.5" />
        <span className="max-md:sr-only">{after}</span>
      </Neighbour>
    </nav>
  )
}

function Neighbour({
  id,
  search,
  children,
}: {
  id: string | undefined
  search: string
  children: ReactNode
}) {
  if (id === undefined) return <Button disabled>{children}</Button>
  return (
    <ButtonLink href={invoiceHref(id, search)} prefetch={false}>
      {children}
      <LinkSpinner />
    </ButtonLink>
  )
}
