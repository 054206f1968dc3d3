import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/second-factors/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readFactorDemand,
  operations.demandFactor,
)
