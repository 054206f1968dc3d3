/**
 * Age of an open item by its due date and the database's day in UTC: due today or later, past due by a number of days,
 * or a balance below 0, which is a credit without an age.
 */
export const AGES = ['current', 'days1To30', 'days31To60', 'days61To90', 'older', 'credit'] as const
export type Age = (typeof AGES)[number]

export const AGE_NAMES: Record<Age, string> = {
  current: 'Not due yet',
  days1To30: '1 to 30 days',
  days31To60: '31 to 60 days',
  days61To90: '61 to 90 days',
  older: 'Over 90 days',
  credit: 'Credit',
}
