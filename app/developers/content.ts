import 'server-only'
import type { TryCall } from '#components/developers/try-it.tsx'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { type DeveloperPage, developerPages, pathOf } from '#lib/platform/api/developers/pages.ts'
import { requestOf, sampleOf } from '#lib/platform/api/developers/samples.ts'
import { TAGS } from '../billing/v1/openapi.json/tags.ts'

/** All pages for developers. */
export const PAGES = developerPages(TAGS)

/** Returns the page with this slug; the overview has the empty slug. */
export function findPage(slug: string): DeveloperPage | undefined {
  return PAGES.find((page) => page.slug === slug)
}

/** Returns the contents: the pages by section. */
export function contents() {
  return (['Guide', 'Reference'] as const).map((title) => ({
    title,
    entries: PAGES.filter(({ section }) => section === title).map((page) => ({
      href: pathOf(page),
      title: page.title,
    })),
  }))
}

/**
 * Returns the fields of the form of a call: a read, or a change that has a dry run. Undefined for all other changes and for
 * files, which the browser downloads.
 */
export function tryCallOf(name: string): TryCall | undefined {
  const contract = TAGS.flatMap(({ contracts }) => contracts).find((each) => each.name === name)
  if (!contract || !isTriable(contract)) return undefined
  const { method, path, params, query, headers } = contract
  const example = sampleOf(contract)
  const parameters = (
    location: TryCall['parameters'][number]['location'],
    shape: object,
    values: object = {},
  ) =>
    Object.entries(shape)
      .filter(([parameter]) => parameter !== 'dryRun')
      .map(([parameter, type]) => ({
        name: parameter,
        location,
        isRequired: !type.safeParse(undefined).success,
        value: String((values as Record<string, unknown>)[parameter] ?? ''),
      }))
  const body = example && requestOf(contract, example, '').body
  return {
    method,
    path,
    parameters: [
      ...parameters('path', params.shape, example?.params),
      ...parameters('query', query.shape, example?.query),
      ...parameters('header', headers.shape, example?.headers),
    ],
    ...(body === undefined ? {} : { body: JSON.stringify(body, null, 2) }),
  }
}

function isTriable({ method, query, output, permission }: AnyContract): boolean {
  if (permission === 'none') return false
  if (method !== 'GET') return 'dryRun' in query.shape
  return output.meta()?.mediaType === undefined
}
