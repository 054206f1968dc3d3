/** Whether slow tests run, and the others in full length: `npm run test:deep` sets DEEP=1. */
export const DEEP = process.env.DEEP === '1'
