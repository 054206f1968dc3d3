/** The look of what is of the view before: it stays, and is dimmed once waiting lasts. */
export function dimmed(isOld: boolean): string {
  return `transition-opacity delay-150 duration-120 ${isOld ? 'opacity-60' : ''}`
}
