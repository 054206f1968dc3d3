'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { listKeys } from '#lib/identity/client.ts'
import type { listKeys as contract } from '#lib/identity/keys/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { IssueKey } from './issue-key.tsx'
import type { Issuer } from './issuer.ts'
import { KeyTable } from './key-table.tsx'

/** Keys that the caller may see, with their actions. */
export function Keys({ view, maySeeAll, issuer }: { view: View; maySeeAll: boolean; issuer: Issuer }) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const client = useQueryClient()
  const list = useRef<HTMLDivElement>(null)
  const [issuing, setIssuing] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: listKeys.key({ query: view }),
    queryFn: ({ signal }) => listKeys({ query: view }, signal),
  })
  const onChanged = () => client.invalidateQueries({ queryKey: ['listKeys'] })
  const { whose, state } = requestedView
  const only = (selected: View['state']) =>
    go({ ...(whose ? { whose } : {}), ...(state === selected || !selected ? {} : { state: selected }) })
  const rows = data?.keys ?? []
  const issue = (
    <Button variant="primary" onClick={() => setIssuing(true)}>
      Create key
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">Which keys</legend>
          {maySeeAll ? (
            <>
              <ToggleChip selected={whose !== 'all'} onToggle={() => go(state ? { state } : {})}>
                Yours
              </ToggleChip>
              <ToggleChip
                selected={whose === 'all'}
                onToggle={() => go({ whose: 'all', ...(state ? { state } : {}) })}
              >
                All
              </ToggleChip>
            </>
          ) : null}
          <ToggleChip selected={state === 'usable'} onToggle={() => only('usable')}>
            Active
          </ToggleChip>
          <ToggleChip selected={state === 'ended'} onToggle={() => only('ended')}>
            Expired
          </ToggleChip>
        </fieldset>
        {rows.length > 0 || view.pageToken ? issue : null}
      </div>
      {error ? <RefreshFailed label="keys" error={error} onRetry={refetch} /> : null}
      <Card className={staleClass(isWaiting)}>
        {/* Receives the focus when the focused element is gone. */}
        <div ref={list} tabIndex={-1} className="rounded-card outline-none">
          {data ? null : <SkeletonRows count={3} />}
          {data && rows.length === 0 ? <NoKeys view={view} issue={issue} /> : null}
          {rows.length > 0 ? (
            <KeyTable
              keys={rows}
              named={view.whose === 'all'}
              pending={isWaiting}
              issuer={issuer}
              onChanged={onChanged}
            />
          ) : null}
        </div>
      </Card>
      <Pager {...pagesOf(view, data)} />
      {issuing ? (
        <IssueKey
          issuer={issuer}
          onIssued={onChanged}
          onClose={() => {
            setIssuing(false)
            list.current?.focus({ preventScroll: true })
          }}
        />
      ) : null}
    </>
  )
}

function NoKeys({ view, issue }: { view: View; issue: React.ReactNode }) {
  const { whose, state, pageToken } = view
  if (pageToken) {
    const first = hrefOf({ ...(whose ? { whose } : {}), ...(state ? { state } : {}) })
    return (
      <EmptyState title="No more keys here" action={<ButtonLink href={first}>Go to the newest</ButtonLink>} />
    )
  }
  if (state === 'ended') return <EmptyState title="No expired keys" />
  return (
    <EmptyState title="No API keys yet" action={issue}>
      A key lets a program read invoices and change licenses through the API.
    </EmptyState>
  )
}

/** Decoded query of `listKeys`, which the screen shows. */
type View = Input<typeof contract>['query']

const { hrefOf, pagesOf } = listScreen<View>('/keys', listKeys.search)
