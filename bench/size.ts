// Set on import, because parts compute their sizes on import too. Servers inherit it.
if (process.argv.includes('--smoke')) process.env['BENCH_SMOKE'] = '1'

/** Whether the run only shows that every part still works, with one short round and few rows. */
export const isSmokeRun = process.env['BENCH_SMOKE'] === '1'

/** The number of rows to load: the full number, or a thousandth of it in a smoke run. */
export const scaled = (full: number, least = 200): number => (isSmokeRun ? Math.max(least, Math.round(full / 1000)) : full)

/** Participants of the large event of the reports. */
export const LARGE_EVENT = Number(process.env['BENCH_PEOPLE'] ?? scaled(1_000_000, 1_000))
