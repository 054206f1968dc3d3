import type { Permission } from '#lib/platform/caller/rules.ts'

/** The screens whose addresses can be named, each with what it needs. */
export const VIEW_SCREENS = {
  '/assets': 'licenses-manager',
  '/invoices': 'invoice-viewer',
  '/activity': 'licenses-manager',
  '/activity/events': 'audit-viewer',
} as const satisfies Record<string, Permission>

export type ViewPath = keyof typeof VIEW_SCREENS

export const VIEW_PATHS = Object.keys(VIEW_SCREENS) as [ViewPath, ...ViewPath[]]

/** So many views a member has at most, and so many there are of all. */
export const MAX_VIEWS = 50

/** A name has so many characters at most: it stands in the side bar. */
export const MAX_NAME_LENGTH = 60

/** Whether an address is that of a screen whose views can be saved. */
export function isViewPath(path: string): path is ViewPath {
  return Object.hasOwn(VIEW_SCREENS, path)
}

/**
 * The order with one of them at another place.
 * @param position from 0 on; beyond the end it is the end
 */
export function placed(ids: readonly string[], id: string, position: number): string[] {
  const others = ids.filter((other) => other !== id)
  return [...others.slice(0, position), id, ...others.slice(position)]
}

/** Parts of an address that are no part of what it shows: the page, and what the screen itself adds. */
export const NO_PART: readonly string[] = ['pageToken', 'view']

/** Whether two query strings ask a screen for the same, in whatever order. */
export function isSameQuery(one: string, other: string): boolean {
  const parts = (search: string) =>
    [...new URLSearchParams(search)]
      .filter(([name]) => !NO_PART.includes(name))
      .map((part) => JSON.stringify(part))
      .sort()
      .join()
  return parts(one) === parts(other)
}
