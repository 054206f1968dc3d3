import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const Route = z.array(z.object({ page: z.string(), regex: z.string() }))
const Routes = z.object({ staticRoutes: Route, dynamicRoutes: Route })

/**
 * Tells the paths that the built application has a page for, as Next's own manifest of its routes lists them, and the
 * files of `public/`.
 * @returns a function that says so of a path
 * @throws Error where the manifest is another one than this version of Next writes
 */
export function knownPaths(): (path: string) => boolean {
  const { staticRoutes, dynamicRoutes } = Routes.parse(
    JSON.parse(readFileSync(join(ROOT, '.next', 'routes-manifest.json'), 'utf8')),
  )
  // Next's own, whose page is the 404 that is to be sent.
  const pages = [...staticRoutes, ...dynamicRoutes].filter(({ page }) => !page.startsWith('/_'))
  const patterns = pages.map(({ regex }) => new RegExp(regex))
  const files = new Set(readdirSync(join(ROOT, 'public'), { recursive: true }).map((file) => `/${file}`))
  return (path) => files.has(path) || patterns.some((pattern) => pattern.test(path))
}
