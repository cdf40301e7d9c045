/** The number of rows to load: the full number, or with BENCH_SMOKE, which only shows that a part still runs, a thousandth of it. */
export const scaled = (full: number, least = 200): number => (process.env['BENCH_SMOKE'] ? Math.max(least, Math.round(full / 1000)) : full)
