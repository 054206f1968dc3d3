/** Returns the class for content of the previous view: it stays, and is dimmed after a delay. */
export function staleClass(pending: boolean): string {
  return `transition-opacity delay-150 duration-120 ${pending ? 'opacity-60' : ''}`
}
