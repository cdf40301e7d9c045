import { sql } from 'kysely'
import { z } from 'zod'
import { defineJob, type Job } from '../../../src/kernel/jobs.ts'
import { askOutside, defineOutsideCall, type OutsideCall } from '../../../src/kernel/outside-calls.ts'
import type { Pool } from '../../../src/kernel/ports.ts'
import type { Recurring } from '../../../src/kernel/recurring.ts'

/** Work of a process of its own that a test kills: what it did is in rows, and in the books of whoever it asked. */
export async function prepareBackground(pool: Pool): Promise<void> {
  await pool.query('create table if not exists fixture_log (what text not null, by_process integer not null)')
}

/** Once a second in all processes together. */
const tick: Recurring = {
  name: 'fixture-tick',
  schedule: { everySeconds: 1 },
  run: ({ transact, slot }) =>
    transact(async (db) => {
      const { rows } = await sql`select to_regclass('fixture_log') as there`.execute(db)
      if ((rows[0] as { there: string | null }).there === null) return
      await sql`insert into fixture_log values (${`tick ${slot.toISOString()}`}, ${process.pid})`.execute(db)
    }),
}

/** Asks the address it is given, which says when the answer leaves. */
const pay = defineOutsideCall({
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
  run: (job, input) => job.step((ctx) => askOutside(ctx, pay, input, {})),
})

export const BACKGROUND_JOBS: readonly Job[] = [payLater as Job]
export const FIXTURE_RECURRING: readonly Recurring[] = [tick]
export const FIXTURE_OUTSIDE_CALLS: readonly OutsideCall[] = [pay as OutsideCall]
