import { LIST, MOST_RESULTS } from './contract.ts'
import { withoutSchema } from './filter.ts'

export type Selection = { attributes?: string | undefined; excludedAttributes?: string | undefined }

/** Always there (RFC 7643, 3.1 and 7). */
const ALWAYS = ['schemas', 'id']

/** Whether an answer is to have an attribute. */
export function selects({ attributes, excludedAttributes }: Selection, name: string): boolean {
  if (ALWAYS.includes(name)) return true
  if (attributes !== undefined) return namesOf(attributes).includes(name.toLowerCase())
  return excludedAttributes === undefined || !namesOf(excludedAttributes).includes(name.toLowerCase())
}

/** A resource with those attributes that are asked for. */
export function selected<Resource extends { id: string; schemas: string[] }>(
  resource: Resource,
  selection: Selection,
): Resource {
  const entries = Object.entries(resource).filter(([name]) => selects(selection, name))
  return Object.fromEntries(entries) as Resource
}

/** A part of an attribute stands for the whole of it. */
function namesOf(text: string): string[] {
  return text.split(',').map((name) => withoutSchema(name.trim()).split('.')[0]?.toLowerCase() ?? '')
}

/** Where a list begins, from 1 on, and how many it has: what is out of bounds is brought into them (RFC 7644, 3.4.2.4). */
export function pageOf({
  startIndex = 1,
  count = 100,
}: {
  startIndex?: number | undefined
  count?: number | undefined
}) {
  return { startIndex: Math.max(1, startIndex), count: Math.min(MOST_RESULTS, Math.max(0, count)) }
}

export function listed<Resource>(Resources: Resource[], totalResults: number, startIndex = 1) {
  return { schemas: [LIST], totalResults, startIndex, itemsPerPage: Resources.length, Resources }
}
