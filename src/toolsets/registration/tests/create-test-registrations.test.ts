import { afterEach, describe, expect, it } from 'vitest'
import { createTestRegistrationsJob } from '../../../domains/rehearsals/create-people.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { chooseForSoak } from '../../../../test/support/soak.ts'
import { useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import type { EventHandle } from '../../../../test/support/world.ts'

const scenario = useSalesScenario()
const make = (args: object) => scenario.call('create_test_registrations', args as Record<string, unknown>)
const refused = (args: object) => scenario.refused('create_test_registrations', args as Record<string, unknown>)
const run = (jobId: string, job = createTestRegistrationsJob) =>
  createJobRunner(scenario.world.services)(job as Job, { tenantId: scenario.event.tenantId, jobId })

/** Enough for some of every status; soak runs use 100, which gives at least five of each. */
const MANY = chooseForSoak(100, 20)

/** Large counts run as a background job. */
const done = async (started: { status: string; jobId: string }) => {
  if (started.status === 'queued') await run(started.jobId)
}

const query = async (text: string, { eventId }: Pick<EventHandle, 'eventId'> = scenario.event): Promise<any[]> =>
  (await scenario.world.database.pool.query(text, [eventId])).rows

/** The generated participants, with amounts owed and paid. */
const cast = (event?: EventHandle) =>
  query(
    `select p.first_name, p.last_name, p.email, p.status, p.tags, p.custom_field_responses, p.host_id is not null as guest, o.total, o.balance
     from participants p left join orders o on o.participant_id = p.id and o.event_id = p.event_id and o.tenant_id = p.tenant_id
     where p.event_id = $1 and p.test_run_id is not null order by p.email, p.first_name`,
    event,
  )

/** The figures and records of real participants, which test data must not change. */
const real = async (event?: EventHandle) => ({
  people: await query(
    'select status, count(*)::int from participants where event_id = $1 and not is_test_data group by 1 order by 1',
    event,
  ),
  orders: await query('select number, total, balance from orders where event_id = $1 and not is_test_data order by 1', event),
  places: await query('select key, held, sold from inventory where event_id = $1 order by 1', event),
  numbers: await query(
    `select series, last from number_series where event_id = $1 and series not like 'T-%' and series <> 'test-waitlist' order by 1`,
    event,
  ),
  mails: await query(`select count(*)::int from messages where event_id = $1 and status <> 'kept'`, event),
})

afterEach(async () => {
  await make({ clear: true })
  await openEventLedger(scenario.world, scenario.event).assertInvariants()
})

describe('create_test_registrations', () => {
  it(`generates ${MANY} test participants with seed 7, the same people and totals as in another event`, async () => {
    await scenario.register({ pass: 1 })
    const before = await real()
    const started = await make({ count: MANY, seed: 7 })
    await done(started)
    const made = await make({ runId: started.runId })
    expect(made).toMatchObject({
      status: 'done',
      created: { byStatus: { complete: MANY * 0.8, incomplete: MANY * 0.1, waitlisted: MANY * 0.05, cancelled: MANY * 0.05 } },
      failures: [],
    })
    expect(await real()).toEqual(before)
    await openEventLedger(scenario.world, scenario.event).assertInvariants()

    const fresh = await scenario.world.event({ at: scenario.event, status: 'draft', timezone: 'Europe/Paris', startsOn: '2026-09-01' })
    const there = { eventCode: fresh.eventCode }
    await scenario.olga.call('configure_event', { ...there, sections: WORKED_EXAMPLE })
    await done(await scenario.olga.call('create_test_registrations', { ...there, count: MANY, seed: 7 }))
    const first = await cast()
    expect(first).toHaveLength(MANY)
    expect(await cast(fresh)).toEqual(first)
    expect(new Set(first.map(({ total }) => Number(total))).size).toBeGreaterThan(1)
  })

  it('generates few test participants immediately, paid or unpaid, and different people with another seed', async () => {
    const before = await real()
    const all = { complete: 100, incomplete: 0, waitlisted: 0, cancelled: 0 }
    const { runId, created, status } = await make({ count: 5, mix: all })
    expect({ created, status }).toEqual({
      created: { byStatus: { complete: 5, incomplete: 0, waitlisted: 0, cancelled: 0 } },
      status: 'done',
    })
    const paid = await cast()
    expect(paid.map(({ balance }) => Number(balance))).toEqual([0, 0, 0, 0, 0])
    expect(
      await query('select distinct provider, method, is_test_data from payments where event_id = $1 and provider is not null'),
    ).toEqual([{ provider: 'sandbox', method: 'card', is_test_data: true }])
    expect(await make({ runId })).toMatchObject({ runId, created, failures: [] })
    await make({ clear: true })

    await make({ count: 5, seed: 2, mix: all, withPayments: false })
    const owing = await cast()
    expect(owing.some(({ balance }) => Number(balance) > 0)).toBe(true)
    expect(owing.map(({ last_name }) => last_name)).not.toEqual(paid.map(({ last_name }) => last_name))
    expect(await real()).toEqual(before)
    expect(await query(`select distinct status from messages where event_id = $1 and is_test_data`)).toEqual([{ status: 'kept' }])
  })

  it('deletes all participants that it generated, and no other test data', async () => {
    const before = await real()
    await scenario.call('update_event', { testMode: true })
    const { participant } = await scenario.register({ pass: 1 })
    await scenario.call('update_event', { testMode: false })
    const { runId } = await make({ count: 20 })
    await make({ count: 3, seed: 9 })
    expect((await make({ clear: true })).removed).toBe(23)
    expect(await query('select id from participants where event_id = $1 and is_test_data')).toEqual([{ id: participant.id }])
    expect(await query('select participant_id from orders where event_id = $1 and is_test_data')).toEqual([
      { participant_id: participant.id },
    ])
    expect(await query(`select source_id from messages where event_id = $1 and is_test_data`)).toEqual([])
    expect(await refused({ runId })).toMatchObject({ code: 'not_found' })
    expect((await make({ clear: true })).removed).toBe(0)
    expect(await real()).toEqual(before)
  })

  it('continues with the next test participant after an interruption', async () => {
    const { runId, jobId, ...started } = await make({ count: 60, seed: 3 })
    expect(started).toMatchObject({ status: 'queued', progress: { done: 0, total: 60 } })
    let steps = 0
    const stopped: typeof createTestRegistrationsJob = {
      ...createTestRegistrationsJob,
      run: (job, input) =>
        createTestRegistrationsJob.run(
          { ...job, step: (step) => (++steps > 3 ? Promise.reject(new Error('stopped')) : job.step(step)) },
          input,
        ),
    }
    await expect(run(jobId, stopped)).rejects.toThrow('stopped')
    expect(await make({ runId })).toMatchObject({ progress: { done: 20, total: 60 } })
    await run(jobId)
    const { created, progress } = await make({ runId })
    expect(progress).toEqual({ done: 60, total: 60 })
    expect(created.byStatus).toEqual({ complete: 48, incomplete: 6, waitlisted: 3, cancelled: 3 })
    expect(new Set((await cast()).map(({ email }) => email)).size).toBe(60)
  })

  it('stops generating if its test participants were deleted in the meantime', async () => {
    const { jobId } = await make({ count: 51 })
    await make({ clear: true })
    await run(jobId)
    expect(await cast()).toEqual([])
  })

  it('uses every choice of the questions in generated answers, and adds guests if the flow allows them', async () => {
    await scenario.publish({
      customFields: [
        { code: 'shirt', name: 'Shirt', responseType: 'choice', choices: ['s', 'm', 'l'].map((code) => ({ code, name: code })) },
      ],
      products: [{ code: 'partner', name: 'Partner', category: 'guest', prices: [{ amount: '10.00' }] }],
      flows: [
        {
          slug: 'family',
          name: 'Family',
          guests: { enabled: true, max: 2, types: [{ code: 'partner', name: 'Partner', productCode: 'partner' }] },
          pages: [
            {
              code: 'all',
              title: 'All',
              widgets: [
                { id: 'who', type: 'name' },
                { id: 'mail', type: 'field', binding: '@participant.email', required: true },
                { id: 'size', type: 'field', binding: '@custom.shirt' },
                { id: 'with', type: 'guests' },
                { id: 'pay', type: 'payment', methods: ['bank'] },
                { id: 'end', type: 'confirmation', body: '<p>Thank you</p>' },
              ],
            },
          ],
        },
      ],
    })
    const all = { complete: 1, incomplete: 0, waitlisted: 0, cancelled: 0 }
    expect(await make({ count: 6, flowSlug: 'family', mix: all })).toMatchObject({ created: { byStatus: { complete: 6 } }, failures: [] })
    const made = await cast()
    expect(
      made
        .filter(({ guest }) => !guest)
        .map(({ custom_field_responses: { shirt } }) => shirt as string)
        .toSorted(),
    ).toEqual(['l', 'l', 'm', 'm', 's', 's'])
    expect(made.filter(({ guest }) => guest)).toHaveLength(2)
    // Two guests at 10.00 plus 20 %.
    expect(made.reduce((sum, { total }) => sum + Number(total ?? 0), 0)).toBe(2400)
    expect((await make({ clear: true })).removed).toBe(8)
    await make({ count: 6, flowSlug: 'family', mix: all, withGuests: false })
    expect(await cast()).toHaveLength(6)
  })

  it('reports where in the flow a registration cannot be completed, and how many test participants failed there', async () => {
    await scenario.call('configure_event', {
      sections: {
        customFields: [{ code: 'track', name: 'Track', responseType: 'choice', choices: [{ code: 'one', name: 'One' }] }],
        flows: [
          {
            slug: 'stuck',
            name: 'Stuck',
            pages: [
              { code: 'who', title: 'Who', widgets: [{ id: 'n', type: 'name' }] },
              {
                code: 'which',
                title: 'Which',
                widgets: [
                  { id: 't', type: 'field', binding: '@custom.track', required: true, choices: [] },
                  { id: 'e', type: 'confirmation', body: '<p>Thank you</p>' },
                ],
              },
            ],
          },
        ],
      },
    })
    expect(await make({ count: 10, flowSlug: 'stuck' })).toMatchObject({
      created: { byStatus: { complete: 0, incomplete: 1, waitlisted: 0, cancelled: 0 } },
      failures: [{ flowSlug: 'stuck', page: 'which', binding: '@custom.track', message: 'Track is required', count: 9 }],
    })
    // The live version does not have this flow.
    expect(await refused({ count: 1, flowSlug: 'stuck', useDraft: false })).toMatchObject({ code: 'precondition_failed' })
  })

  it.each([
    [{}, 'count'],
    [{ count: 0 }, 'count'],
    [{ count: 501 }, 'count'],
    [{ count: 5, clear: true }, 'clear'],
    [{ runId: '0'.repeat(24), clear: true }, 'runId'],
    [{ clear: true, seed: 3 }, 'seed'],
    [{ count: 5, mix: { complete: 0, incomplete: 0, waitlisted: 0, cancelled: 0 } }, 'mix'],
  ])('rejects test registrations with the arguments %j', async (args, path) => {
    const refusal = await refused(args)
    expect(refusal).toMatchObject({ code: 'invalid_arguments' })
    expect(JSON.stringify(refusal)).toContain(`"path":"${path}"`)
  })
})
