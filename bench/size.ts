// Set when this module is imported, because benchmarks compute their sizes on import too. Server processes inherit the variable.
if (process.argv.includes('--smoke')) process.env['BENCH_SMOKE'] = '1'

/** Whether this is a smoke run, which only shows that every benchmark still works, with one short measurement and few rows. */
export const isSmokeRun = process.env['BENCH_SMOKE'] === '1'

/** The number of rows to load: the full number, or a thousandth of it in a smoke run. */
export const scaleRows = (full: number, least = 200): number => (isSmokeRun ? Math.max(least, Math.round(full / 1000)) : full)

/** The number of participants of the large event in the report benchmarks. */
export const LARGE_EVENT_PARTICIPANTS = Number(process.env['BENCH_PEOPLE'] ?? scaleRows(1_000_000, 1_000))
