import type { Mounted } from '#lib/platform/api/endpoint.ts'

/** Returns a router by path: fixed paths by name, templates segment by segment. */
export function createRouter(mounted: readonly Mounted[]): (path: string) => Mounted {
  const fixed = new Map<string, Mounted>()
  const templates: { parts: string[]; endpoint: Mounted }[] = []
  const below: { root: string; endpoint: Mounted }[] = []
  let unknown: Mounted | undefined
  for (const endpoint of mounted) {
    const { path } = endpoint
    if (path === undefined) unknown = endpoint
    else if (path.endsWith('/…')) below.push({ root: path.slice(0, -1), endpoint })
    else if (path.includes('{')) templates.push({ parts: path.split('/'), endpoint })
    else fixed.set(path, endpoint)
  }
  if (!unknown) throw new Error('No route answers the paths that name nothing.')
  const otherwise = unknown
  const rest = (path: string) => below.find(({ root }) => path.startsWith(root))?.endpoint ?? otherwise
  return (url) => {
    // A trailing slash is equivalent to none.
    const path = url.replace(/\/$/, '')
    const endpoint = fixed.get(path)
    if (endpoint) return endpoint
    const parts = path.split('/')
    return templates.find((template) => fits(template.parts, parts))?.endpoint ?? rest(`${path}/`)
  }
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  )
}
