import { addMonths } from '../calendar.ts'
import type { UsageAsset } from '../customer.ts'

/** Two accounts of each type that is billed by usage. */
export function northwindUsage(today: string): UsageAsset[] {
  const account = (
    type: UsageAsset['type'],
    suffix: string,
    name: string,
    vendorCustomerId: string,
    monthsAgo: number,
  ): UsageAsset => ({
    id: `${type}-${suffix}`,
    type,
    name,
    domain: 'northwind-labs.example',
    vendorCustomerId,
    boughtOn: addMonths(today, -monthsAgo),
  })
  return [
    account('cloud-platform', '22c9', 'Research sandbox', '01B9-2E', 11),
    account('web-services', '3310', 'Data lake account', '3310-6642-0078', 17),
    account('cloud-platform', '01a4', 'Production organization', '01A4-77', 31),
    account('web-services', '7714', 'Payer account', '7714-0925-1183', 38),
  ]
}
