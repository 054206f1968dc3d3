import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { PROBLEMS, Problem } from '#lib/api/problem.ts'

/** What an address asks for that can't be had; anything else is not the address's fault, but the error page's. */
export function asInvalid(error: unknown): Problem {
  if (error instanceof Problem && error.status === 400) return error
  throw error
}

/** A list whose address can't be read: why, and the way to the whole list. */
export function InvalidView({
  title,
  what,
  path,
  problem,
}: {
  title: string
  /** The rows of the list: `invoices`. */
  what: string
  path: string
  problem: Problem
}) {
  return (
    <>
      <PageHead title={title} />
      <ProblemNote
        title={PROBLEMS[problem.code].title}
        detail={problem.message}
        action={<ButtonLink href={path}>Show all {what}</ButtonLink>}
      />
    </>
  )
}
