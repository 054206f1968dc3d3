/** What a request counts as: each as one of the requests, and some besides as what they do. */
export const KINDS = ['requests', 'changes', 'exports'] as const
export type Kind = (typeof KINDS)[number]
