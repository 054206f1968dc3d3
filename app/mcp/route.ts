import { lazyPath } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = lazyPath(
  '/mcp',
  async () => (await import('./respond.ts')).respond,
)
