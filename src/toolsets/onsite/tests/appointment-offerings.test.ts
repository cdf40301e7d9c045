import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'
import { newAttendee, openSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let home: EventHandle
let exhibitors: Exhibitors
let olga: OrganizerHandle
const load = (rows: object[], more: object = {}) => olga.call('import_appointment_offerings', { eventCode: home.eventCode, rows, ...more })
const HOURS = { day: '2027-03-27', from: '09:00', until: '12:00', minutes: 30, breakMinutes: 5 }

beforeAll(async () => {
  world = await newWorld()
  // The clocks in Berlin change on 28 March 2027 at 2 o'clock.
  home = await world.event({ startsOn: '2027-03-27', endsOn: '2027-03-28', timezone: 'Europe/Berlin', status: 'draft' })
  exhibitors = createExhibitorFixtures(world, home)
  await exhibitors.publish({ exhibitorConfig: { appointmentMinutes: 60 } })
  olga = await world.organizer({ role: 'exhibits', at: home })
})
afterAll(() => world.end())

describe('import_appointment_offerings', () => {
  it('splits opening hours into slots with breaks, recognizes existing slots, and keeps booked slots when it replaces others', async () => {
    const { id } = await exhibitors.company({ name: 'Borealis GmbH', appointmentsEnabled: true })
    const row = { company: 'borealis  gmbh', ...HOURS }
    expect(await load([row], { dryRun: true })).toMatchObject({ dryRun: true, created: 5 })
    expect(await load([row])).toMatchObject({ rows: 1, hosts: 1, created: 5, existing: 0, removed: 0, keptBooked: 0, invalid: [] })
    const starts = (await exhibitors.slots(id)).map(({ startsAt }) => startsAt.slice(11, 16))
    expect(starts).toEqual(['08:00', '08:35', '09:10', '09:45', '10:20'])
    expect(await load([row])).toMatchObject({ created: 0, existing: 5 })
    const [first, second] = await exhibitors.slots(id)
    await world.database.pool.query('update offerings set booked = 1 where id = any($1)', [[first!.id, second!.id]])
    expect(await load([row], { replace: true })).toMatchObject({ removed: 3, keptBooked: 2, created: 3, existing: 2 })
    expect(await load([{ ...row, from: '14:00', until: '15:00' }], { replace: true })).toMatchObject({
      removed: 3,
      keptBooked: 2,
      created: 1,
    })
    expect((await exhibitors.slots(id)).map(({ booked }) => booked)).toEqual([1, 1, 0])
  })

  it('creates appointment slots of the configured length across a clock change', async () => {
    const { id } = await exhibitors.company({ name: 'Night shift' })
    expect(await load([{ company: 'night-shift', day: '2027-03-28', from: '01:00', until: '04:00' }])).toMatchObject({ created: 2 })
    expect((await exhibitors.slots(id)).map(({ startsAt }) => startsAt)).toEqual(['2027-03-28T00:00:00.000Z', '2027-03-28T01:00:00.000Z'])
  })

  it('finds appointment hosts by booth number and email, and reports the rows it cannot use', async () => {
    const { id } = await exhibitors.company({ name: 'Twin' })
    const elsewhere = await exhibitors.company({ name: 'Staffed' })
    await exhibitors.plan({}, [{ number: 'A12', polygon: buildRectangle(2, 2, 3, 3) }])
    await exhibitors.assign('A12', id)
    const people = createRegistrationFixtures(world, home)
    await people.person({ email: 'host@example.org' })
    await people.person({ email: 'twice@example.org' })
    await people.person({ email: 'twice@example.org' })
    await people.person({ email: 'gone@example.org', status: 'cancelled' })
    await world.database.write
      .insertInto('exhibitor_staff')
      .values({
        tenant_id: home.tenantId,
        event_id: home.eventId,
        id: 'c'.repeat(24),
        company_id: elsewhere.id,
        is_test_data: false,
        name: 'Sam',
        email: 'sam@example.org',
        role: 'staff',
      })
      .execute()
    const answer = await load([
      { company: 'a12', ...HOURS },
      { hostEmail: 'HOST@example.org', ...HOURS, location: 'Lounge', capacity: 3, approval: 'manual' },
      { company: 'Nobody', ...HOURS },
      { hostEmail: 'twice@example.org', ...HOURS },
      { hostEmail: 'gone@example.org', ...HOURS },
      { company: 'Twin', hostEmail: 'host@example.org', ...HOURS },
      { company: 'Twin', ...HOURS, day: '2027-03-25' },
      { company: 'Twin', ...HOURS, day: '2027-03-26' },
      { company: 'Twin', ...HOURS, until: '09:00' },
      { company: 'Twin', ...HOURS, until: '09:29' },
      { company: 'Staffed', staffEmail: 'sam@example.org', ...HOURS },
      { company: 'Staffed', staffEmail: 'sam@example.org', ...HOURS, from: '11:45', until: '12:30', location: 'Bar' },
      { company: 'Staffed', staffEmail: 'sam@example.org', ...HOURS, from: '11:50', until: '12:30', location: 'Bar' },
      { company: 'Twin', staffEmail: 'sam@example.org', ...HOURS },
    ])
    expect(answer.invalid.map(({ row }: { row: number }) => row)).toEqual([3, 4, 5, 6, 7, 9, 10, 12, 14])
    expect(answer).toMatchObject({ rows: 14, hosts: 3, created: 21, existing: 0, invalidCount: 9 })
    expect(await load([{ company: 'Staffed', staffEmail: 'sam@example.org', ...HOURS }])).toMatchObject({
      created: 0,
      existing: 5,
      invalid: [],
    })
  })

  it('imports appointment slots from a spreadsheet file', async () => {
    await exhibitors.company({ name: 'Sheet AG' })
    const csv = 'Exhibitor,Date,Start,End,Minutes\nSheet AG,2027-03-27,13:00,15:00,30\n'
    const { id: fileId } = await createUploadFixtures(world, home).file(
      Buffer.from(csv),
      { name: 'hours.csv' },
      { clientId: home.clientId },
    )
    const imported = () => olga.call('import_appointment_offerings', { eventCode: home.eventCode, fileId })
    expect(await imported()).toMatchObject({ created: 4, existing: 0 })
    expect(await imported()).toMatchObject({ created: 0, existing: 4 })
  })

  it('creates every appointment slot once for two concurrent imports of rows', async () => {
    await exhibitors.company({ name: 'Rows AG' })
    const row = { company: 'Rows AG', day: '2027-03-27', from: '13:00', until: '15:00', minutes: 30 }
    const answers = await Promise.all([0, 1].map(() => load([row])))
    expect(new Set(answers.map(({ created }) => created))).toEqual(new Set([0, 4]))
    expect(new Set(answers.map(({ existing }) => existing))).toEqual(new Set([0, 4]))
  })
})

describe('slots of a participant', () => {
  it('are no longer offered when the registration is cancelled or given to another person', async () => {
    const scenario = await openSalesScenario()
    const hosts = [
      (await scenario.register()).participant,
      (await scenario.register()).participant,
      (await scenario.register()).participant,
    ]
    await scenario.call('import_appointment_offerings', {
      rows: hosts.map(({ email }: any) => ({ hostEmail: email, day: '2026-09-01', from: '10:00', until: '11:00', minutes: 30 })),
    })
    const countOffered = () => scenario.queryNumber('select count(*)::int as figure from offerings where removed_at is null')
    expect(await countOffered()).toBe(6)
    await scenario.call('edit_participant', { participantId: hosts[0].id, status: 'cancelled' })
    expect(await countOffered()).toBe(4)
    await scenario.call('substitute_participant', { participantId: hosts[1].id, replacement: newAttendee() })
    expect(await countOffered()).toBe(2)
    await scenario.world.end()
  })
})
