import 'server-only'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import type { Money, Renewal } from './rules.ts'
import { happensOf, nextTotalOf } from './serialize.ts'

const COLUMNS: Column<Renewal>[] = [
  { name: 'id', text: ({ asset }) => asset.id },
  { name: 'type', text: ({ asset }) => asset.type },
  { name: 'name', text: ({ asset }) => asset.name },
  { name: 'customerDomain', text: ({ domain }) => domain },
  { name: 'planName', text: ({ planName }) => planName },
  { name: 'renewalDate', day: ({ at }) => dayOf(at) },
  { name: 'decideByDate', day: ({ decideBy }) => decideBy },
  { name: 'purchasedSeats', number: ({ purchased }) => purchased },
  { name: 'assignedSeats', number: ({ assigned }) => assigned },
  { name: 'idleSeats', number: ({ idle }) => idle },
  { name: 'renewalType', text: ({ renewalType }) => renewalType },
  { name: 'happens', text: ({ renewalType }) => (renewalType === null ? null : happensOf(renewalType)) },
  { name: 'nextSeats', number: (row) => nextTotalOf(row) ?? null },
  { name: 'currency', text: ({ price }) => price?.currency ?? null },
  // As it was billed, with all its places.
  { name: 'price', number: ({ price }) => price?.price ?? null },
  { name: 'priceMonths', number: ({ price }) => price?.months ?? null },
  { name: 'amount', amount: ({ cost }) => amountOf(cost, cost?.amount) },
  { name: 'amountPer', text: ({ cost }) => cost?.per ?? null },
  { name: 'yearlyAmount', amount: ({ cost }) => amountOf(cost, cost?.yearly) },
  { name: 'yearlyIdleAmount', amount: ({ idleCost }) => amountOf(idleCost, idleCost?.yearly) },
]

/** Renewals in their order. */
export function renewalsTable(renewals: readonly Renewal[]): Table<Renewal> {
  return { columns: COLUMNS, batches: [renewals] }
}

function amountOf(money: Money | undefined, amount: string | null | undefined): string | null {
  return money && amount ? plainAmount(amount, money.currency) : null
}
