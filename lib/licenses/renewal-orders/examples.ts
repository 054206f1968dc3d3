import type { Example } from '#lib/platform/api/openapi/example.ts'

const asset = { asset_id: 'workspace-suite-5d20a7' }
const END = Date.UTC(2027, 2, 1)
const NOW = {
  time: END,
  quantity: 60,
  assigned: 57,
  renewalType: 'AUTO_RENEW',
  takes: 'quantity',
  decideBy: Date.UTC(2027, 1, 28),
  outcome: 'renews',
}
const actor = { kind: 'key', id: 'k-nightly', name: 'nightly-sync' }
const times = { time: END, createTime: Date.UTC(2026, 10, 21, 9, 30) }
const id = '7c9be1f0-3a55-4c5e-9a51-2b1f0f3a7d11'
const ORDER = { id, quantity: 58, ...times, actor, state: 'STANDING', isPlaced: true }

const GONE = { ...ORDER, isPlaced: false, state: 'WITHDRAWN', settleTime: Date.UTC(2026, 10, 21, 9, 45) }

export const readRenewal: readonly Example[] = [
  {
    name: 'nothing-ordered',
    summary: 'A commitment plan for whose next term nothing is ordered',
    params: asset,
    answer: { status: 200, body: NOW },
  },
]

export const orderRenewal: readonly Example[] = [
  {
    name: 'fewer-licenses',
    summary: '58 licenses from the renewal on; until then there are 60',
    params: asset,
    body: { quantity: 58 },
    answer: { status: 200, body: { ...NOW, order: ORDER } },
  },
]

export const withdrawRenewal: readonly Example[] = [
  {
    name: 'taken-back',
    summary: 'What was ordered is withdrawn: the plan renews as it would have',
    params: asset,
    answer: { status: 200, body: { ...NOW, lastOrder: GONE } },
  },
]
