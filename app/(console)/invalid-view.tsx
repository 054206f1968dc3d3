import type { ReactNode } from 'react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { PROBLEMS, Problem } from '#lib/platform/api/problem.ts'
import { type Deferred, Streamed } from './streamed.tsx'

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

type Invalid = Omit<InvalidNoteProps, 'problem'>

/** Renders the rows of a list, a skeleton until they arrive, or the reason why the list's address is invalid. */
export function StreamedRows<T>({
  answer,
  invalid,
  children,
}: {
  answer: Deferred<T | Problem>
  invalid: Invalid
  children: (rows: T) => ReactNode
}) {
  return (
    <Streamed answer={answer} fallback={<RowsWaiting />}>
      {(rows) => (rows instanceof Problem ? <InvalidNote {...invalid} problem={rows} /> : children(rows))}
    </Streamed>
  )
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

function InvalidNote({ label, path, problem }: InvalidNoteProps) {
  return (
    <ProblemNote
      title={
        problem.code === 'filter_invalid'
          ? 'This link has a filter we don’t recognize'
          : PROBLEMS[problem.code].title
      }
      detail={problem.message}
      action={<ButtonLink href={path}>Show all {label}</ButtonLink>}
    />
  )
}
