import type { Door } from '#lib/platform/caller/rules.ts'
import type { Problem } from '../problem.ts'

/** A protocol that others have written down, which some calls keep to: what opens them, and how bodies are written. */
export type Protocol = {
  /** Below which its paths are: `/scim/…`. */
  root: `/${string}/…`
  /** Whose secrets open it. */
  door: Door
  /** The media type of answers, and what a request should have. */
  type: string
  /** The media types that a request may have. */
  takes: RegExp
  refusals: Refusals
}

/** How refusals are written. */
export type Refusals = {
  type: string
  /** The body of one. */
  text(problem: Problem, requestId: string): string
}
