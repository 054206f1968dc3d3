import { later } from '#components/ui/later.tsx'

/** The review of a total, whose script comes when a control of licenses is pointed at. */
export const LicenseReview = later(() =>
  import('./license-review.tsx').then(({ LicenseReview }) => LicenseReview),
)
