/** What is more than that is said as `10,000+`: nobody needs the rest, and the API has it. */
const MAX_EXACT_COUNT = 10_000

/** How many rows there are, for people: `9,204`, and `10,000+` where it is more than 10,000. */
export function countText(count: number): string {
  return count > MAX_EXACT_COUNT ? `${MAX_EXACT_COUNT.toLocaleString('en')}+` : count.toLocaleString('en')
}
