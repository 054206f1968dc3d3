'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { checkList, newList } from './check.ts'
import { confirmed } from './list.ts'
import { listKeeper, NOTHING } from './list-keeper.ts'
import { ListPanel } from './list-panel.tsx'
import { ListTable } from './list-table.tsx'
import { sendList } from './send.ts'
import { TargetForm } from './target-form.tsx'

/** Changes many totals at once: the list, the check of each row, one confirmation, and the result of each row. */
export function BulkScreen({ member, prices }: { member: string; prices: Record<string, LastPrice> }) {
  const client = useQueryClient()
  const [keeper] = useState(() => listKeeper(member))
  const { draft, list, running, ...rest } = useSyncExternalStore(
    keeper.subscribe,
    keeper.state,
    () => NOTHING,
  )
  // Leaving the screen stops the run: the rest is offered again on return.
  useEffect(() => () => keeper.stop(), [keeper])

  const check = () => keeper.run('check', (signal) => checkList(keeper, signal))
  const send = () =>
    keeper
      .run('send', (signal) => sendList(keeper, signal))
      .then(() => client.invalidateQueries({ queryKey: ['listAssets'] }))

  if (!list) {
    return (
      <TargetForm
        text={draft}
        isStorable={rest.isStorable}
        onText={keeper.type}
        onList={(read) => {
          keeper.put(newList(read))
          check()
        }}
      />
    )
  }
  return (
    <>
      <ListPanel
        list={list}
        running={running}
        prices={prices}
        {...rest}
        onCheck={check}
        onConfirm={() => {
          keeper.put(confirmed(list))
          send()
        }}
        onContinue={send}
        onStop={() => keeper.stop()}
        onEdit={() => keeper.put(undefined)}
        onStartOver={() => {
          keeper.put(undefined)
          keeper.type('')
        }}
      />
      <ListTable list={list} prices={prices} />
    </>
  )
}
