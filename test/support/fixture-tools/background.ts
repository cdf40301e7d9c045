import { sql } from 'kysely'
import { z } from 'zod'
import { defineJob, type Job } from '../../../src/kernel/jobs.ts'
import { scheduleExternalCall, defineExternalCall, type ExternalCall } from '../../../src/kernel/external-calls.ts'
import type { Pool } from '../../../src/kernel/ports.ts'
import type { RecurringTask } from '../../../src/kernel/recurring.ts'

/**
 * Creates tables for the background work of a process that a test kills. Its effects are visible in rows and in the requests that the stub
 * received.
 */
export async function createBackgroundTables(pool: Pool): Promise<void> {
  await pool.query('create table if not exists fixture_log (what text not null, by_process integer not null)')
}

/** A recurring task that runs once a second across all processes. */
const tick: RecurringTask = {
  name: 'fixture-tick',
  schedule: { everySeconds: 1 },
  run: ({ transact, slot }) =>
    transact(async (db) => {
      const { rows } = await sql`select to_regclass('fixture_log') as there`.execute(db)
      if ((rows[0] as { there: string | null }).there === null) return
      await sql`insert into fixture_log values (${`tick ${slot.toISOString()}`}, ${process.pid})`.execute(db)
    }),
}

/** An external call that requests the given address; the test decides when the response is sent. */
const pay = defineExternalCall({
  kind: 'fixture.pay',
  scope: 'tenant',
  input: z.object({ url: z.string() }),
  answer: z.object({ paid: z.boolean() }),
  timeoutSeconds: 5,
  async call({ key, signal }, { url }) {
    const response = await fetch(url, { method: 'POST', headers: { 'idempotency-key': key, 'by-process': String(process.pid) }, signal })
    return (await response.json()) as { paid: boolean }
  },
  async settle(ctx, { url }) {
    await sql`insert into fixture_log values (${`paid ${url}`}, ${process.pid})`.execute(ctx.db)
  },
  giveUp: () => Promise.resolve(),
})

export const payLater = defineJob({
  name: 'fixture-pay',
  scope: 'tenant',
  input: z.object({ url: z.string() }),
  run: (job, input) => job.step((ctx) => scheduleExternalCall(ctx, pay, input, {})),
})

export const BACKGROUND_JOBS: readonly Job[] = [payLater as Job]
export const FIXTURE_RECURRING: readonly RecurringTask[] = [tick]
export const FIXTURE_EXTERNAL_CALLS: readonly ExternalCall[] = [pay as ExternalCall]
