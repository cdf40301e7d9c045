/** How many times as much as on every commit: `npm run soak` sets it. */
const FACTOR = Number(process.env['SOAK'] ?? 1)

/** The rounds of a test that repeats: this many on every commit, more in a soak. */
export const times = (rounds: number): number => rounds * FACTOR

/** The same on every commit, new in every soak. */
export const seed = (fixed: number): number => (FACTOR === 1 ? fixed : Math.floor(Math.random() * 2 ** 31))

/** Some of them on every commit, evenly from all; in a soak each. */
export const sampled = <T>(all: readonly T[], every: number): readonly T[] => (FACTOR === 1 ? all.filter((_, i) => i % every === 0) : all)

/** Where a soak has its own figure, which is not a multiple, or its own way. */
export const inSoak = <T>(there: T, otherwise: T): T => (FACTOR === 1 ? otherwise : there)
