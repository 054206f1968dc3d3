import * as operations from '#lib/licenses/renewal-orders/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readRenewal,
  operations.orderRenewal,
  operations.withdrawRenewal,
)
