import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/renewal-orders/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readRenewal,
  operations.orderRenewal,
  operations.withdrawRenewal,
)
