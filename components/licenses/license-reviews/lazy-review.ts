import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

/** Lazy review of a total, preloaded when the pointer reaches a license control. */
export const LicenseReview = lazyWithPreload(() =>
  import('./license-review.tsx').then(({ LicenseReview }) => LicenseReview),
)
