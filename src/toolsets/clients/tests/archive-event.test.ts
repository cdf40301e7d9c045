import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-05-15 10:00Z')
  acme = await world.client({ code: 'acme' })
  olga = await world.organizer({ at: acme })
  await world.event({ at: acme, code: 'past', startsOn: '2027-05-11', endsOn: '2027-05-14' })
  await world.event({ at: acme, code: 'coming', startsOn: '2027-05-20', endsOn: '2027-05-22' })
  await world.event({ at: acme, code: 'going', startsOn: '2027-05-15' })
})
afterAll(() => world.end())

const confirmed = async (args: object) => {
  const { confirmToken } = await olga.call('archive_event', { ...args, dryRun: true })
  return olga.call('archive_event', { ...args, confirmToken })
}

describe('archive_event', () => {
  it('always requires a dry run before an event is archived', async () => {
    expect(await olga.refused('archive_event', { eventCode: 'past' })).toMatchObject({
      code: 'precondition_failed',
      fix: { tool: 'archive_event', arguments: { eventCode: 'past', dryRun: true } },
    })
  })

  it('archives the event, cancels its jobs, and moves the event from the default list to the list of archived events', async () => {
    const listed = async () => {
      const [open, archived] = [
        await olga.call('list_events', { clientCode: 'acme' }),
        await olga.call('list_events', { clientCode: 'acme', status: ['archived'] }),
      ]
      return [open.total, archived.total]
    }
    expect(await listed()).toEqual([3, 0])
    const { jobId } = await olga.call('fixture_start_count', { eventCode: 'past', to: 3 })
    const done = await confirmed({ eventCode: 'past', reason: 'It is over' })
    expect(done).toMatchObject({
      event: { code: 'past', status: 'archived' },
      stopped: { campaigns: 0, upsells: 0, jobs: 1, alerts: 0, holds: 0, offers: 0, sessionsOfParticipants: 0 },
      openBalance: { amount: '0.00', currency: 'EUR' },
      openInvoices: 0,
    })
    expect(await listed()).toEqual([2, 1])
    expect(await olga.call('fixture_get_count', { eventCode: 'past', jobId })).toMatchObject({ status: 'failed' })
    const { rows } = await world.database.pool.query<{ targets: { fields: object }[] }>(
      `select targets from audit_entries where tool = 'archive_event'`,
    )
    expect(rows[0]!.targets[0]!.fields).toEqual({ status: { before: 'published', after: 'archived' }, reason: { after: 'It is over' } })
  })

  it('rejects changes, publishing and archiving of an archived event, but allows reading and cloning', async () => {
    const edit = { eventCode: 'past', operations: [{ op: 'set', path: '/details/summary', valueJson: '"x"' }] }
    for (const refused of [
      await olga.refused('config_set', edit),
      await olga.refused('configure_event', { eventCode: 'past', sections: { tags: [] } }),
      await olga.refused('publish_event', { eventCode: 'past' }),
      await olga.refused('update_event', { eventCode: 'past', name: 'x' }),
    ]) {
      expect(refused).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('archived') })
    }
    expect((await olga.refused('archive_event', { eventCode: 'past', dryRun: true })).message).toBe('This event is already archived')
    expect((await olga.call('list_event_config_items', { eventCode: 'past' })).total).toBe(1)
    const clone = await olga.call('clone_event', { eventCode: 'past', newCode: 'next', newName: 'Next', startsOn: '2028-05-09' })
    expect(clone.event).toMatchObject({ status: 'draft', startsOn: '2028-05-09', endsOn: '2028-05-12' })
  })

  it('rejects archiving before the last day of the event has passed unless forced, and returns the unpaid amounts', async () => {
    expect(await olga.refused('archive_event', { eventCode: 'coming', dryRun: true })).toMatchObject({
      code: 'precondition_failed',
      message: 'Event coming ends on 2027-05-22, in 7 days, and has 0 complete registrations — pass force: true to archive it anyway',
    })
    expect((await olga.refused('archive_event', { eventCode: 'going', dryRun: true })).message).toContain('ends on 2027-05-15, today')
    expect((await confirmed({ eventCode: 'coming', force: true })).event.status).toBe('archived')
  })
})
