/** The event of a document that React has taken over: what was pressed before is pressed again (`release.ts`). */
export const ALIVE = 'alive'
