import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/views/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.changeView,
  operations.removeView,
)
