import { route } from '#lib/platform/api/endpoint.ts'
import * as operations from '#lib/workspace/views/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.changeView,
  operations.removeView,
)
