import 'server-only'
import { atEndText, outcomeOf } from '#lib/licenses/assets/rules.ts'
import { operation } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import * as contract from './contract.ts'
import { readRenewals } from './read.ts'
import type { Money, Renewal } from './rules.ts'
import { chosenOf, nextTotalOf, type Selection, serializeRenewals } from './serialize.ts'

export const listRenewals = operation(contract.listRenewals, async (caller, { query }) => {
  const data = await readRenewals(caller)
  // The next one is not in the list any more when it has ended.
  return { body: serializeRenewals(data, query, env().baseUrl), validUntil: data.renewals[0]?.at }
})

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
  { name: 'happens', text: ({ renewalType }) => renewalType && atEndText(renewalType) },
  { name: 'nextSeats', number: (row) => nextTotalOf(row) ?? null },
  { name: 'currency', text: ({ price }) => price?.currency ?? null },
  // As billed, with all decimal places.
  { name: 'price', number: ({ price }) => price?.price ?? null },
  { name: 'priceMonths', number: ({ price }) => price?.months ?? null },
  { name: 'amount', amount: ({ cost }) => amountOf(cost, cost?.amount) },
  { name: 'amountPer', text: ({ cost }) => cost?.per ?? null },
  { name: 'yearlyAmount', amount: ({ cost }) => amountOf(cost, cost?.yearly) },
  { name: 'yearlyIdleAmount', amount: ({ idleCost }) => amountOf(idleCost, idleCost?.yearly) },
  { name: 'outcome', text: ({ renewalType }) => outcomeOf(renewalType) ?? null },
  { name: 'nextAmount', amount: ({ nextCost }) => amountOf(nextCost, nextCost?.amount) },
  { name: 'nextAmountPer', text: ({ nextCost }) => nextCost?.per ?? null },
  { name: 'surchargePercent', number: ({ renewalType }) => surchargeOf(renewalType) },
]

export const exportRenewals = operation(contract.exportRenewals, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(nameOf(selection), await tableFor(caller, selection), { separator, decimal })
})

export const exportRenewalsXlsx = operation(contract.exportRenewalsXlsx, async (caller, { query }) =>
  xlsxReply(nameOf(query), 'Renewals', await tableFor(caller, query)),
)

async function tableFor(caller: Caller, selection: Selection) {
  return renewalsTable(chosenOf(await readRenewals(caller), selection))
}

function nameOf({ month, quarter }: Selection): string {
  const period = month ?? quarter
  return period ? `renewals-${period}` : dated('renewals')
}

/** Renewals in their order. */
function renewalsTable(renewals: readonly Renewal[]): Table<Renewal> {
  return { columns: COLUMNS, batches: [renewals] }
}

/** Returns the surcharge in percent that is part of the amount after the end. */
function surchargeOf(renewalType: string | null): number | null {
  return outcomeOf(renewalType) === 'extended-term' ? extendedTermSettings().surchargePercent : null
}

function amountOf(money: Money | undefined, amount: string | null | undefined): string | null {
  return money && amount ? plainAmount(amount, money.currency) : null
}
