import { Button } from './button.tsx'

/** In the place of a part whose script did not come: the connection broke, or a new release has taken it away. */
export function NotLoaded() {
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-4 z-50 mx-auto flex max-w-md items-center gap-3 rounded-card border border-line-2 bg-surface py-2 pr-2 pl-4 text-left text-base text-ink shadow-float print:hidden"
    >
      <span className="flex-1">This part of the page could not be loaded.</span>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </div>
  )
}
