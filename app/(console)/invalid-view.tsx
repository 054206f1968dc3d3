import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { PROBLEMS, Problem } from '#lib/platform/api/problem.ts'

/** Returns the Problem of an invalid address; rethrows any other error for the error page. */
export function asInvalid(error: unknown): Problem {
  if (error instanceof Problem && error.status === 400) return error
  throw error
}

type InvalidNoteProps = {
  /** Plural name of the rows: `invoices`. */
  label: string
  path: string
  problem: Problem
}

/** Page for an invalid address of a list: the reason, and a link to the whole list. */
export function InvalidView({ title, ...props }: InvalidNoteProps & { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <InvalidNote {...props} />
    </>
  )
}

/** Like `InvalidView`, but below an existing page header. */
export function InvalidNote({ label, path, problem }: InvalidNoteProps) {
  return (
    <ProblemNote
      title={PROBLEMS[problem.code].title}
      detail={problem.message}
      action={<ButtonLink href={path}>Show all {label}</ButtonLink>}
    />
  )
}
