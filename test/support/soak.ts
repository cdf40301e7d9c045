/** The multiplier for repeated tests; `npm run soak` sets it. */
const FACTOR = Number(process.env['SOAK'] ?? 1)

/** The number of rounds of a repeated test: `rounds` on every commit, more in a soak run. */
export const soakRounds = (rounds: number): number => rounds * FACTOR

/** A seed for random tests: fixed on every commit, random in every soak run. */
export const soakSeed = (fixed: number): number => (FACTOR === 1 ? fixed : Math.floor(Math.random() * 2 ** 31))

/** Every n-th item on every commit, all items in a soak run. */
export const soakSample = <T>(all: readonly T[], every: number): readonly T[] =>
  FACTOR === 1 ? all.filter((_, i) => i % every === 0) : all

/** Returns the first value in a soak run (`npm run soak`) and the second one otherwise. */
export const chooseForSoak = <T>(there: T, otherwise: T): T => (FACTOR === 1 ? otherwise : there)
