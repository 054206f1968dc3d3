import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

/** The review of a total, whose script comes when a control of licenses is pointed at. */
export const LicenseReview = lazyWithPreload(() =>
  import('./license-review.tsx').then(({ LicenseReview }) => LicenseReview),
)
