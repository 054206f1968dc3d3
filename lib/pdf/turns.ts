import pLimit from 'p-limit'

/** Documents that are drawn at the same time: a long one takes some 200 MB. */
const MOST_AT_ONCE = 2

/** Draws when fewer than two others are being drawn. */
export const inTurn = pLimit(MOST_AT_ONCE)
