import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/license-prices/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readPriceVisibility,
  operations.setPriceVisibility,
)
