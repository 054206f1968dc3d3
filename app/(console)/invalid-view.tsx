import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { PROBLEMS, Problem } from '#lib/platform/api/problem.ts'

/** What an address asks for that can't be had; anything else is not the address's fault, but the error page's. */
export function asInvalid(error: unknown): Problem {
  if (error instanceof Problem && error.status === 400) return error
  throw error
}

type InvalidNoteProps = {
  /** The rows of the list: `invoices`. */
  what: string
  path: string
  problem: Problem
}

/** A list whose address can't be read: why, and the way to the whole list. */
export function InvalidView({ title, ...props }: InvalidNoteProps & { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <InvalidNote {...props} />
    </>
  )
}

/** The same below a head that is there already. */
export function InvalidNote({ what, path, problem }: InvalidNoteProps) {
  return (
    <ProblemNote
      title={PROBLEMS[problem.code].title}
      detail={problem.message}
      action={<ButtonLink href={path}>Show all {what}</ButtonLink>}
    />
  )
}
