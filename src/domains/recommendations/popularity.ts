/** Between 0 for what nobody took and 1 for what most took; the first takers count for more than later ones. */
export const popularity = (takers: number, most: number): number => (most <= 0 ? 0 : Math.log(1 + takers) / Math.log(1 + most))
