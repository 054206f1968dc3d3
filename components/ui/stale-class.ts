/** The look of what is of the view before: it stays, and is dimmed once waiting lasts. */
export function staleClass(pending: boolean): string {
  return `transition-opacity delay-150 duration-120 ${pending ? 'opacity-60' : ''}`
}
