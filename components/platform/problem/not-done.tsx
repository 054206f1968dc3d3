import { ButtonLink } from '#components/ui/button-link.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { whyNot } from './why-not.ts'

/** Error next to a button. `title` names the action that failed: `Not read`. */
export function NotDone({ title, error }: { title: string; error: Error }) {
  const isOurs = error instanceof ProblemError
  const isOut = isOurs && error.code === 'unauthenticated'
  return (
    <ProblemNote
      title={title}
      detail={isOut ? 'You were signed out.' : whyNot(error)}
      requestId={isOurs ? error.more.requestId : undefined}
      action={
        isOut ? (
          <ButtonLink href={`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in
          </ButtonLink>
        ) : undefined
      }
    />
  )
}
