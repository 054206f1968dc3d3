import { InvalidArgumentError } from 'commander'

/** For commander: how many days something holds, 1 to 3650. */
export function daysOf(text: string): number {
  const days = Number(text)
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > 3650)
    throw new InvalidArgumentError('Give a whole number of days, 1 to 3650.')
  return days
}
