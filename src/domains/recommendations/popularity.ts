/** Computes the popularity of an item from 0 to 1 on a logarithmic scale, relative to the most popular item. */
export const computePopularity = (takers: number, most: number): number => (most <= 0 ? 0 : Math.log(1 + takers) / Math.log(1 + most))
