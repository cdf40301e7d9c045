import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEADER, libraryFile, person } from '../../src/toolsets/clients/tests/import-story.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak } from '../support/soak.ts'

const ROWS = chooseForSoak(100_000, 3000)
/** One row in fifty is invalid. */
const WRONG = ROWS / 50
/** The specification allows 512 MB in total. The memory of an idle process grows with the number of tools, not with the file. */
const MOST_MEMORY = 512 * 2 ** 20
const MOST_GROWTH = 100 * 2 ** 20
/** A job is taken over after its process has sent no heartbeat for a while. */
const LIMIT = 600_000 + ROWS * 60

const sheet = () =>
  [
    HEADER,
    ...Array.from({ length: ROWS }, (_, n) => person(n, { on: '2025-03-04', ...(n % 50 === 7 ? { email: 'absent at example' } : {}) })),
    '',
  ].join('\n')

/**
 * A real process is killed during an import and started again. Requires PostgreSQL, because an embedded database would end with the
 * process.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 during an import', () => {
  let sale: ServedSale
  beforeAll(async () => {
    sale = await openServedSale(WORKED_EXAMPLE, { processes: 1 })
    await sale.start(0)
  }, LIMIT)
  afterAll(() => sale.end(), LIMIT)

  const call = async (tool: string, args: Record<string, unknown>): Promise<any> => {
    const answer = await sale.callUntilAnswered(tool, args)
    if (answer.isError) throw new Error(`${tool} was refused: ${answer.content[0]?.text}`)
    return answer.structuredContent
  }
  const runOf = async (setupId: string, runId: string) =>
    (await call('setup_import_flow', { setupId })).runs.find((run: { runId: string }) => run.runId === runId)
  const people = () => sale.sales.queryNumber('select count(*)::int as figure from participants')

  /** Starts an import run, polls it and returns its result. */
  async function importAll(setupId: string): Promise<any> {
    const { runId } = await call('import_event', { setupId, mode: 'test', idempotencyKey: `import ${Math.random()}` })
    for (;;) {
      const run = await runOf(setupId, runId)
      if (run.status === 'done') return run
      expect(run.status).not.toBe('failed')
      await pause(500)
    }
  }

  it(
    `imports all ${ROWS} rows once with at most 100 MB more memory than at rest, although the process is killed and the import repeated`,
    { timeout: LIMIT },
    async (test) => {
      const fileId = await libraryFile(sale.sales, sheet(), 'people.csv')
      const { setupId, status } = await call('setup_import_flow', { fileIds: [fileId], sourceSystem: 'old', save: true })
      expect(status).toBe('ready')
      const memory: number[] = []
      const atRest = sale.peakMemory(0)
      const importing = importAll(setupId)
      while ((await people()) < ROWS / 4) await pause(20)
      memory.push(sale.peakMemory(0))
      await sale.kill(0)
      expect(await people()).toBeLessThan(ROWS - WRONG)
      await sale.start(0)
      const first = await importing
      expect(first).toMatchObject({ rows: ROWS, created: ROWS - WRONG, updated: 0, unchanged: 0, duplicates: 0, errors: WRONG })
      expect(await people()).toBe(ROWS - WRONG)
      expect(await sale.sales.queryNumber(`select count(distinct email_norm)::int as figure from participants`)).toBe(ROWS - WRONG)

      const again = await importAll(setupId)
      expect(again).toMatchObject({ rows: ROWS, created: 0, updated: 0, unchanged: ROWS - WRONG, duplicates: 0, errors: WRONG })
      expect(await people()).toBe(ROWS - WRONG)
      memory.push(sale.peakMemory(0))
      const megabytes = [atRest, ...memory].map((bytes) => `${Math.round(bytes / 2 ** 20)} MB`)
      await test.annotate(`peak memory: ${megabytes[0]} at rest, ${megabytes[1]} before the kill, ${megabytes[2]} after it`)
      expect(Math.max(...memory)).toBeLessThan(MOST_MEMORY)
      expect(Math.max(...memory) - atRest).toBeLessThan(MOST_GROWTH)
    },
  )
})
