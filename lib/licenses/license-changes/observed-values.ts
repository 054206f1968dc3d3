import 'server-only'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { Observed } from '#lib/vendors/vendor.ts'

/** What of a row its vendor decides. */
type ObservedValues = Pick<
  LicensedRow,
  | 'status'
  | 'planName'
  | 'isCommitmentPlan'
  | 'commitmentStart'
  | 'commitmentEnd'
  | 'renewalType'
  | 'seatsPurchased'
  | 'seatsMaximum'
  | 'seatsAssigned'
  | 'scheduledTotal'
  | 'scheduledAt'
>

/** What an observation makes of a row; assigned seats stay where it does not tell them. */
export function valuesOf(row: LicensedRow, { seats, ...told }: Observed): ObservedValues {
  return {
    status: told.status,
    planName: told.planName,
    isCommitmentPlan: told.isCommitmentPlan,
    commitmentStart: told.commitmentStart,
    commitmentEnd: told.commitmentEnd,
    renewalType: told.renewalType,
    seatsPurchased: seats.purchased,
    seatsMaximum: seats.maximum,
    seatsAssigned: seats.assigned ?? row.seatsAssigned,
    scheduledTotal: told.scheduled?.total ?? null,
    scheduledAt: told.scheduled?.at ?? null,
  }
}

/** Whether a row has all that was told of it. */
export function isAsTold(row: LicensedRow, values: ObservedValues): boolean {
  const fields = Object.keys(values) as (keyof ObservedValues)[]
  return fields.every((field) => plain(row[field]) === plain(values[field]))
}

function plain(value: ObservedValues[keyof ObservedValues]): string | number | boolean | null {
  return value instanceof Date ? value.getTime() : value
}
