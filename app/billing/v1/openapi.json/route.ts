import { route } from '#lib/platform/api/endpoint.ts'
import { openApiOperation } from '#lib/platform/api/openapi/document.ts'
import { billing } from './billing.ts'
import { people } from './people.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  openApiOperation([...billing, ...people]),
)
