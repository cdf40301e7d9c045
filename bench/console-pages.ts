import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Fleet } from './servers.ts'

const PAGES = {
  overview: 'event page, first byte',
  people: 'participants, first byte',
  search: 'participants by part of a name, first byte',
  later: 'participants, a later page, first byte',
} as const
type Page = keyof typeof PAGES

/**
 * Measures the time to first byte of console pages of an event among a million registrations, compared with the time of their SQL
 * statements.
 */
export async function measureConsolePages(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('console-pages', { TEST_DATABASE_URL: server })
  const found = await child.ask<
    Record<'people' | 'large' | 'loadedIn', number> & { pages: Record<Page, { statements: number; bytes: number }> }
  >('found')
  const window = (page: Page, side: 'ours' | 'bare') => (seconds: number) => child.ask<number>('time', { page, side, seconds })
  const results: BenchResult[] = []
  for (const page of Object.keys(PAGES) as Page[]) {
    const { ours, bare } = await interleave({ ours: window(page, 'ours'), bare: window(page, 'bare') }, rounds)
    const { statements, bytes } = found.pages[page]
    results.push({
      name: PAGES[page],
      unit: 'ms',
      ...compareMeasurements(ours, bare, 'lower'),
      target: { atMost: 2 },
      note: `${statements} statements, ${Math.round(bytes / 1024)} KB; ${found.large} of ${found.people} participants, loaded in ${found.loadedIn} s`,
    })
  }
  await child.ask('end')
  child.stop()
  return results
}
