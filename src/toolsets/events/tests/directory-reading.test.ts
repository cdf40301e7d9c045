import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario } from '../../../../test/support/directory-scenario.ts'
import { sendJson } from '../../../../test/support/internet.ts'
import { retryLookup } from '../../../domains/directories/retry.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const call: DirectoryScenario['call'] = (tool, args) => stage.call(tool, args)
const ada = { email: 'ada@example.org' }

/** Makes the directory return the given record for every member during `run`. */
async function saying(record: object, run: () => Promise<void>): Promise<void> {
  stage.directory.answer = (_request, response) => sendJson(response, { members: [record] })
  await run().finally(() => (stage.directory.answer = null))
}

describe('directory record', () => {
  it("reads dates of a directory record in the event's time zone, also in the retry job", async () => {
    await stage.configure({ tags: [{ code: 'member', name: 'Member' }] })
    const connection = await stage.connectAndTest({ onFailure: 'queue', cacheMinutes: 0 })
    const tagRules = [{ when: { from: '$.PaidThru', op: 'gt', value: '2027-02-28' }, tag: 'member' }]
    await call('configure_directory_connection', { connection, tagRules })
    // Half past eleven in London is the next day at the event, in Berlin.
    await saying({ PaidThru: '2027-02-28T23:30:00.000Z' }, async () => {
      expect((await stage.lookUp(connection, ada)).tags).toEqual(['member'])
      stage.directory.down = true
      const { lookupId } = await stage.lookUp(connection, ada)
      stage.directory.down = false
      const { rows } = await stage.world.database.pool.query<{ id: string }>(`select id from jobs where input ->> 'lookupId' = $1`, [
        lookupId,
      ])
      await createJobRunner(stage.world.services)(retryLookup as Job, { tenantId: stage.event.tenantId, jobId: rows[0]!.id })
      const done = await stage.world.database.pool.query('select result from jobs where id = $1', [rows[0]!.id])
      expect(done.rows).toEqual([{ result: { outcome: 'found', tags: ['member'] } }])
    })
    await call('delete_directory_connection', { connection })
  })

  it('reads phone numbers of a directory record with the country code of the venue', async () => {
    const connection = await stage.connectAndTest()
    const venue = { name: 'Hall', city: 'Berlin', country: 'DE' }
    await call('config_set', { operations: [{ op: 'set', path: '/details/venue', valueJson: JSON.stringify(venue) }] })
    await call('configure_directory_connection', {
      connection,
      bindings: [{ from: '$.Phone', to: '@participant.workPhone', transform: 'phone' }],
    })
    await saying({ Phone: '030 901820' }, async () => {
      const tested = await call('test_directory_connection', { connection, inputs: ada, showValues: true })
      expect(tested).toMatchObject({ ok: true, mapped: [{ valid: true, value: '+4930901820' }], warnings: [] })
    })
    await call('delete_directory_connection', { connection })
  })
})
