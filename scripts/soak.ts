/** Whether this is `npm run soak`: property tests with many more runs, and the long form of slow tests. */
export const SOAK = process.env.HOLDFAST_SOAK === '1';
