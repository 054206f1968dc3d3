/** Products that are told one by one. */
export const MOST_PRODUCTS = 20
