'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues, cleared, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { useToast } from '#components/ui/toast.tsx'
import { listMembers } from '#lib/identity/client.ts'
import type { listMembers as contract, Member } from '#lib/identity/members/contract.ts'
import { MEMBER_STATES } from '#lib/identity/members/rules.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'
import type { Giving } from './labels.ts'
import { MemberDialog } from './member-dialog.tsx'
import { MemberTable, STATE_TEXTS } from './member-table.tsx'

/** Members that a view selects, with their actions. `self` is the id of the viewing member; `now` is in epoch ms. */
export function Members({
  view,
  giving,
  self,
  now,
  tools,
}: {
  view: View
  giving: Giving
  self: string
  now: number
  tools: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const [open, setOpen] = useState<Member>()
  const toast = useToast()
  const client = useQueryClient()
  const router = useRouter()
  const { data, error, refetch } = useQuery({
    queryKey: listMembers.key({ query: view }),
    queryFn: ({ signal }) => listMembers({ query: view }, signal),
  })
  const close = () => setOpen(undefined)
  const refresh = (message?: string) => {
    if (message) toast(message)
    client.invalidateQueries({ queryKey: ['listMembers'] })
    // Members who changed their own access may see other screens now, or none.
    if (open?.id === self) router.refresh()
  }
  const states = valuesOf(requestedView, 'state')
  const rows = data?.members ?? []
  return (
    <>
      <FilterBar
        view={requestedView}
        isFiltered={isFiltered(requestedView)}
        searchLabel="Name or email address"
        chips={[
          {
            legend: 'State',
            isAll: states.length === 0,
            choices: MEMBER_STATES.map((state) => ({
              value: state,
              name: STATE_TEXTS[state],
              selected: states.includes(state),
            })),
            onAll: () => go(withValues(requestedView, 'state', [])),
            onToggle: (state) => go(toggled(requestedView, 'state', state)),
          },
        ]}
        active={activeValues(requestedView, 'role', (role) => ROLE_NAMES[role as Role])}
        onChange={go}
      >
        {tools}
      </FilterBar>
      {error ? <RefreshFailed label="members" error={error} onRetry={refetch} /> : null}
      <Card className={staleClass(isWaiting)}>
        {data ? null : <SkeletonRows count={8} />}
        {data && rows.length === 0 ? (
          <EmptyState
            title={view.pageToken ? 'No more members here' : 'No matches'}
            action={<Button onClick={() => go(cleared(view))}>Show all members</Button>}
          >
            {view.pageToken ? null : 'No member has this name or address and is in one of these states.'}
          </EmptyState>
        ) : null}
        {rows.length > 0 ? (
          <MemberTable
            members={rows}
            giving={giving}
            self={self}
            now={now}
            pending={isWaiting}
            onChange={setOpen}
          />
        ) : null}
      </Card>
      <Pager {...pagesOf(view, data)} />
      {open ? (
        <MemberDialog
          member={open}
          giving={giving}
          isSelf={open.id === self}
          onDone={refresh}
          onClose={close}
        />
      ) : null}
    </>
  )
}

/** Decoded query of `listMembers`, which the screen shows. */
type View = Input<typeof contract>['query']

const { hrefOf, pagesOf, isFiltered } = listScreen<View>('/members', listMembers.search)
