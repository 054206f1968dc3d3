/** Largest count that is shown exactly; larger ones are `10,000+`, and the API has the exact count. */
const MAX_EXACT_COUNT = 10_000

/** Returns a number of rows as text: `9,204`, and `10,000+` above 10,000. */
export function countText(count: number): string {
  return count > MAX_EXACT_COUNT ? `${MAX_EXACT_COUNT.toLocaleString('en')}+` : count.toLocaleString('en')
}
