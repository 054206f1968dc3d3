'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LastPrice } from '#components/assets/cost.ts'
import { checkPlan, newPlan } from './check.ts'
import { confirmed } from './plan.ts'
import { PlanPanel } from './plan-panel.tsx'
import { PlanTable } from './plan-table.tsx'
import { sendPlan } from './send.ts'
import { createBulk, NOTHING } from './store.ts'
import { TargetForm } from './target-form.tsx'

/** Many totals at once: the list, the check of each row, one confirmation, and what became of each row. */
export function BulkScreen({ member, prices }: { member: string; prices: Record<string, LastPrice> }) {
  const client = useQueryClient()
  const [bulk] = useState(() => createBulk(member))
  const { draft, plan, running, ...rest } = useSyncExternalStore(bulk.subscribe, bulk.state, () => NOTHING)
  // Who leaves the screen has stopped: the rest is offered again on return.
  useEffect(() => () => bulk.stop(), [bulk])

  const check = () => bulk.run('check', (signal) => checkPlan(bulk, signal))
  const send = () =>
    bulk
      .run('send', (signal) => sendPlan(bulk, signal))
      .then(() => client.invalidateQueries({ queryKey: ['listAssets'] }))

  if (!plan) {
    return (
      <TargetForm
        text={draft}
        keeps={rest.keeps}
        onText={bulk.type}
        onList={(list) => {
          bulk.put(newPlan(list))
          check()
        }}
      />
    )
  }
  return (
    <>
      <PlanPanel
        {...{ plan, running, prices, ...rest }}
        onCheck={check}
        onConfirm={() => {
          bulk.put(confirmed(plan))
          send()
        }}
        onGoOn={send}
        onStop={() => bulk.stop()}
        onEdit={() => bulk.put(undefined)}
        onNew={() => {
          bulk.put(undefined)
          bulk.type('')
        }}
      />
      <PlanTable plan={plan} prices={prices} />
    </>
  )
}
