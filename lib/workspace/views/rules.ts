import type { Permission } from '#lib/platform/caller/rules.ts'

/** Screens that can be saved as views, each with its permission. */
export const VIEW_SCREENS = {
  '/assets': 'licenses-manager',
  '/invoices': 'invoice-viewer',
  '/activity': 'licenses-manager',
  '/activity/events': 'audit-viewer',
} as const satisfies Record<string, Permission>

export type ViewPath = keyof typeof VIEW_SCREENS

export const VIEW_PATHS = Object.keys(VIEW_SCREENS) as [ViewPath, ...ViewPath[]]

/** Most views of one member, and most shared views of a customer. */
export const MAX_VIEWS = 50

/** Longest name, in characters: it must fit into the side bar. */
export const MAX_NAME_LENGTH = 60

/** Returns whether a path is that of a screen whose views can be saved. */
export function isViewPath(path: string): path is ViewPath {
  return Object.hasOwn(VIEW_SCREENS, path)
}

/**
 * Returns the ids with one of them moved.
 * @param position new index from 0 on; beyond the end it is the end
 */
export function placed(ids: readonly string[], id: string, position: number): string[] {
  const others = ids.filter((other) => other !== id)
  return [...others.slice(0, position), id, ...others.slice(position)]
}

/** Query parameters that a view ignores: the page, and the parameter that the screen adds itself. */
export const NO_PART: readonly string[] = ['pageToken', 'view']

/** Returns whether two query strings have the same parameters, in any order. */
export function isSameQuery(one: string, other: string): boolean {
  const parts = (search: string) =>
    [...new URLSearchParams(search)]
      .filter(([name]) => !NO_PART.includes(name))
      .map((part) => JSON.stringify(part))
      .sort()
      .join()
  return parts(one) === parts(other)
}
