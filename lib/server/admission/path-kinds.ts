import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const Route = z.array(z.object({ page: z.string(), regex: z.string() }))
const Routes = z.object({ staticRoutes: Route, dynamicRoutes: Route })
const Files = z.record(z.string(), z.string())

/** Kind of a path: a screen of the console, which needs a member, another file or route, or none. */
export type PathKind = 'screen' | 'other' | undefined

/**
 * Returns a function that classifies a path by Next's manifests of the build, and by the files of `public/`.
 * @throws Error where the manifests do not match this version of Next
 */
export function pathClassifier(): (path: string) => PathKind {
  const { staticRoutes, dynamicRoutes } = Routes.parse(built('routes-manifest.json'))
  const screens = new Set(
    Object.entries(Files.parse(built('app-path-routes-manifest.json'))).flatMap(([file, page]) =>
      file.startsWith('/(console)/') ? page : [],
    ),
  )
  const routes = [...staticRoutes, ...dynamicRoutes]
    // Next's own routes, whose page is the 404.
    .filter(({ page }) => !page.startsWith('/_'))
    .map(
      ({ page, regex }) =>
        ({ pattern: new RegExp(regex), kind: screens.has(page) ? 'screen' : 'other' }) as const,
    )
  const files = new Set(readdirSync(join(ROOT, 'public'), { recursive: true }).map((file) => `/${file}`))
  return (path) => (files.has(path) ? 'other' : routes.find(({ pattern }) => pattern.test(path))?.kind)
}

function built(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, '.next', file), 'utf8'))
}
