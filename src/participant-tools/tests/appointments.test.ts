import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AccountHandle, apiAccountAt, handle, type PersonHandle } from '../../../test/support/participants.ts'
import { issueParticipantSession } from '../../domains/access/participant-sessions.ts'
import { registrationsAt } from '../../../test/support/registrations.ts'
import { type Exhibitors, exhibitorsAt, rectangle } from '../../../test/support/companies.ts'
import { type EventPlace, newWorld, type OrganizerHandle, type World } from '../../../test/support/world.ts'

const EXHIBITORS = {
  exhibitorConfig: {
    meetingHours: [
      { day: '2027-05-11', from: '10:00', until: '12:00' },
      { day: '2027-05-11', from: '13:00', until: '14:10' },
    ],
  },
  customFields: [
    {
      code: 'topics',
      name: 'Topics',
      responseType: 'multiChoice' as const,
      choices: [
        { code: 'ai', name: 'Artificial intelligence' },
        { code: 'b2b', name: 'B2B' },
      ],
    },
    { code: 'diet', name: 'Diet', responseType: 'text' as const, sensitive: true },
  ],
}

let world: World
let event: EventPlace
let exhibitors: Exhibitors
let olga: OrganizerHandle
let account: AccountHandle

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

beforeEach(async () => {
  await world.clock.stopAt('2027-05-01T08:00:00Z')
  event = await world.event({ startsOn: '2027-05-11', endsOn: '2027-05-12', timezone: 'Europe/Berlin' })
  await world.database.pool.query('update events set test_mode = false where id = $1', [event.eventId])
  olga = await world.organizer({ at: event })
  exhibitors = exhibitorsAt(world, event)
  await exhibitors.publish(EXHIBITORS)
  account = await apiAccountAt(world, event)
})

async function signedIn(id: string): Promise<PersonHandle & { id: string }> {
  const { email } = await world.database.write.selectFrom('participants').select('email').where('id', '=', id).executeTakeFirstOrThrow()
  const { token } = await issueParticipantSession(world.database.write, {
    tenantId: event.tenantId,
    accountId: account.accountId,
    eventId: event.eventId,
    email: email!,
  })
  return { ...handle(world, { ...account, email: email!, participantIds: [id], session: token.reveal() }), id }
}

const somebody = async (columns: Record<string, unknown> = {}) => signedIn(await registrationsAt(world, event).person(columns))

describe('free slots', () => {
  it('are the meeting hours in the event zone, with lunch left out and the rest dropped', async () => {
    const { id } = await exhibitors.company({ name: 'Borealis' })
    const petra = await somebody()
    const { companies } = await petra.call('list_exhibitor_availability', { companyId: id })
    expect(companies).toHaveLength(1)
    expect(companies[0].slots.map((slot: any) => [slot.startsAt, slot.localStart, slot.remaining, slot.clashesWithMine])).toEqual([
      ['2027-05-11T08:00:00.000Z', '2027-05-11T10:00', 1, false],
      ['2027-05-11T08:30:00.000Z', '2027-05-11T10:30', 1, false],
      ['2027-05-11T09:00:00.000Z', '2027-05-11T11:00', 1, false],
      ['2027-05-11T09:30:00.000Z', '2027-05-11T11:30', 1, false],
      ['2027-05-11T11:00:00.000Z', '2027-05-11T13:00', 1, false],
      ['2027-05-11T11:30:00.000Z', '2027-05-11T13:30', 1, false],
    ])
  })

  it('are found by company, words, day and hours, and only when they begin late enough', async () => {
    const borealis = await exhibitors.company({ name: 'Borealis Systems' })
    await exhibitors.company({ name: 'Cumulus' })
    await exhibitors.company({ name: 'Not yet', status: 'invited' })
    const petra = await somebody()
    const starts = async (args: object) =>
      (await petra.call('list_exhibitor_availability', args as never)).companies.map((c: any) => [c.name, c.slots.length])
    expect(await starts({})).toEqual([
      ['Borealis Systems', 6],
      ['Cumulus', 6],
    ])
    expect(await starts({ search: 'boreal' })).toEqual([['Borealis Systems', 6]])
    expect(await starts({ day: '2027-05-12' })).toEqual([])
    expect(await starts({ companyId: borealis.id, day: '2027-05-12' })).toEqual([['Borealis Systems', 0]])
    expect(await starts({ companyId: borealis.id, from: '11:00', until: '13:30' })).toEqual([['Borealis Systems', 3]])
    // Notice is 30 minutes: at 10:00 the slot of 10:30 is gone, one of 11:00 is not.
    await world.clock.stopAt('2027-05-11T08:00:00Z')
    const late = await somebody()
    const { companies } = await late.call('list_exhibitor_availability', { companyId: borealis.id })
    expect(companies[0].slots[0].localStart).toBe('2027-05-11T11:00')
    expect(await late.refused('list_exhibitor_availability', { companyId: 'f'.repeat(24) })).toMatchObject({ code: 'not_found' })
  })

  it('come back with new hours when the event is published again; what is booked stays', async () => {
    const { id } = await exhibitors.company()
    const petra = await somebody()
    const [first] = await exhibitors.slots(id)
    await petra.call('book_exhibitor_appointment', { slotId: first!.id })
    await exhibitors.publish({
      ...EXHIBITORS,
      exhibitorConfig: { meetingHours: [{ day: '2027-05-11', from: '09:45', until: '11:45' }], appointmentMinutes: 45 },
    })
    expect((await exhibitors.slots(id)).map(({ startsAt, booked }) => [startsAt, booked])).toEqual([
      ['2027-05-11T08:00:00.000Z', 1],
      ['2027-05-11T08:30:00.000Z', 0],
    ])
  })
})

describe('booking', () => {
  it('makes an appointment and a lead, tells both sides, and a second time changes nothing', async () => {
    const { id } = await exhibitors.company({ name: 'Borealis', contact: { name: 'Connie', email: 'connie@borealis.example' } })
    await exhibitors.plan({}, [{ number: '101', polygon: rectangle(3, 3, 3, 3) }])
    await exhibitors.assign('101', id)
    const ada = await somebody({
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.org',
      job_title: 'CTO',
      mobile_phone: '+49 170 1',
      custom_field_responses: JSON.stringify({ topics: ['ai', 'b2b'], diet: 'vegan' }),
      sharing: JSON.stringify({ mobilePhone: 'share', email: 'restrict', 'cf:topics': 'share', 'cf:diet': 'share' }),
    })
    const [slot] = await exhibitors.slots(id)
    const rehearsed = await ada.call('book_exhibitor_appointment', { slotId: slot!.id, dryRun: true })
    expect(rehearsed.shared).toEqual(['firstName', 'lastName', 'jobTitle', 'mobilePhone', 'cf:topics'])
    expect(await exhibitors.mails()).toEqual([])
    const booked = await ada.call('book_exhibitor_appointment', { slotId: slot!.id, message: 'About turbines' })
    expect(booked.appointment).toMatchObject({
      status: 'booked',
      company: 'Borealis',
      startsAt: '2027-05-11T08:00:00.000Z',
      endsAt: '2027-05-11T08:30:00.000Z',
      location: '101',
    })
    expect(booked.shared).toEqual(rehearsed.shared)
    expect(await ada.call('book_exhibitor_appointment', { slotId: slot!.id })).toEqual(booked)
    const [toAda, toConnie, ...more] = await exhibitors.mails()
    expect(more).toEqual([])
    expect([toAda!.to, toAda!.code, toConnie!.to, toConnie!.code]).toEqual([
      'ada@example.org',
      'appointment.booked',
      'connie@borealis.example',
      'appointment.booked',
    ])
    expect(toAda!.subject).toBe(`Appointment with Borealis at Event ${event.eventCode}`)
    expect(toAda!.text).toContain('Tuesday, May 11, 2027 at 10:00 AM')
    expect(toAda!.text).toContain('Where: 101')
    expect(toConnie!.text).toContain('Ada Lovelace')
    expect(toConnie!.text).toContain('Mobile phone: +49 170 1')
    expect(toConnie!.text).toContain('Topics: Artificial intelligence, B2B')
    expect(toConnie!.text).toContain('About turbines')
    for (const hidden of ['ada@example.org', 'vegan']) expect(JSON.stringify(toConnie)).not.toContain(hidden)
    for (const { attached } of [toAda!, toConnie!]) {
      expect(attached[0]).toContain('METHOD:REQUEST')
      expect(attached[0]).toContain(`UID:${booked.appointment.id}@`)
      expect(attached[0]).toContain('SEQUENCE:0')
      expect(attached[0]).toContain('DTSTART:20270511T080000Z')
    }
    const { rows } = await world.database.pool.query(
      `select l.id, l.captures, l.source, l.first_captured_at, (select array_agg(type) from lead_captures c where c.lead_id = l.id) as types from leads l where company_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ id: booked.leadId, captures: 0, source: 'appointment', first_captured_at: null, types: ['appointment'] }])
  })

  it('keeps the lead that was there, and its scans', async () => {
    const { id } = await exhibitors.company()
    const petra = await somebody()
    const leadId = '0'.repeat(23) + '1'
    await world.database.pool.query(
      `insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source, status) values ($1, $2, $3, $4, $5, false, 'sdk', 'deleted')`,
      [event.tenantId, event.eventId, leadId, id, petra.id],
    )
    for (const [n, at] of [
      ['a', '2027-05-11T07:00:00Z'],
      ['b', '2027-05-11T06:00:00Z'],
    ]) {
      await world.database.pool.query(
        `insert into lead_captures (tenant_id, event_id, id, lead_id, company_id, type, at) values ($1, $2, $3, $4, $5, 'sdk', $6)`,
        [event.tenantId, event.eventId, n!.repeat(24), leadId, id, at],
      )
    }
    const [slot] = await exhibitors.slots(id)
    expect((await petra.call('book_exhibitor_appointment', { slotId: slot!.id })).leadId).toBe(leadId)
    const { rows } = await world.database.pool.query(`select captures, source, status, first_captured_at from leads where id = $1`, [
      leadId,
    ])
    expect(rows).toEqual([{ captures: 2, source: 'sdk', status: 'active', first_captured_at: new Date('2027-05-11T06:00:00Z') }])
  })

  it('waits for approval where the exhibitor wants that, and says so to both', async () => {
    const { id } = await exhibitors.company({ appointmentsEnabled: false })
    const slotId = await exhibitors.offers(
      { companyId: id },
      { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', approval: 'manual', location: 'Lounge' },
    )
    const petra = await somebody()
    const { appointment, leadId } = await petra.call('book_exhibitor_appointment', { slotId })
    expect(appointment).toMatchObject({ status: 'pending', location: 'Lounge' })
    expect(leadId).toHaveLength(24)
    const mails = await exhibitors.mails()
    expect(mails).toHaveLength(2)
    for (const { subject, attached } of mails) {
      expect(subject).toMatch(/requested/)
      expect(attached[0]).toContain('STATUS:TENTATIVE')
    }
  })

  it('is refused where it cannot be', async () => {
    const { id } = await exhibitors.company()
    const other = await exhibitors.company()
    const [first, second] = await exhibitors.slots(id)
    const [sameTime] = await exhibitors.slots(other.id)
    const petra = await somebody()
    const paul = await somebody()
    const { appointment } = await petra.call('book_exhibitor_appointment', { slotId: first!.id })
    const taken = await paul.refused('book_exhibitor_appointment', { slotId: first!.id })
    expect(taken.code).toBe('conflict')
    expect(taken.message).toMatch(
      /^That slot was just taken — free next: 2027-05-11T10:30 \([0-9a-f]{24}\), 2027-05-11T11:00 .*, 2027-05-11T11:30/,
    )
    expect((taken as any).candidates).toHaveLength(3)
    expect((taken as any).candidates[0].slotId).toBe(second!.id)
    expect(await petra.refused('book_exhibitor_appointment', { slotId: sameTime!.id })).toMatchObject({
      code: 'conflict',
      message: `Appointment ${appointment.id} is at the same time, from 2027-05-11T10:00 to 2027-05-11T10:30 — cancel it first or choose another slot`,
    })
    await world.database.pool.query(
      `insert into sessions (tenant_id, event_id, id, code, title, track_code, format_code, starts_at, ends_at, status)
       values ($1, $2, $3, 'opening', 'Opening', 'main', 'talk', '2027-05-11T08:15:00Z', '2027-05-11T08:30:00Z', 'scheduled')`,
      [event.tenantId, event.eventId, 'ab'.repeat(12)],
    )
    await world.database.pool.query(
      `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`,
      [event.tenantId, event.eventId, 'ab'.repeat(12), paul.id],
    )
    expect(await paul.refused('book_exhibitor_appointment', { slotId: sameTime!.id })).toMatchObject({
      code: 'conflict',
      message:
        'The session “Opening” is at the same time, from 2027-05-11T10:15 to 2027-05-11T10:30 — leave it first or choose another slot',
    })
    // It begins when the session ends.
    await paul.call('book_exhibitor_appointment', { slotId: second!.id })
    const waiting = await somebody({ status: 'waitlisted' })
    expect(await waiting.refused('book_exhibitor_appointment', { slotId: second!.id })).toMatchObject({ code: 'precondition_failed' })
    expect(await petra.refused('book_exhibitor_appointment', { slotId: 'e'.repeat(24) })).toMatchObject({ code: 'not_found' })
    expect((await petra.with({ session: null }).refused('book_exhibitor_appointment', { slotId: second!.id })).message).toBe(
      'Missing X-Participant-Session header — call agent_verify_otp first',
    )
    await world.clock.stopAt('2027-05-11T08:00:00Z')
    const late = await somebody()
    expect(await late.refused('book_exhibitor_appointment', { slotId: second!.id })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('at least 30 minutes ahead'),
    })
  })

  it('goes no further than the limit per person', async () => {
    await exhibitors.publish({ ...EXHIBITORS, exhibitorConfig: { ...EXHIBITORS.exhibitorConfig, maxAppointmentsPerPerson: 2 } })
    const { id } = await exhibitors.company()
    const [first, second, third] = await exhibitors.slots(id)
    const petra = await somebody()
    for (const slot of [first!, second!]) await petra.call('book_exhibitor_appointment', { slotId: slot.id })
    expect(await petra.refused('book_exhibitor_appointment', { slotId: third!.id })).toMatchObject({ code: 'limit_exceeded' })
    expect((await exhibitors.slots(id))[2]!.booked).toBe(0)
  })

  it('gives a slot of three places to three people and back', async () => {
    const { id } = await exhibitors.company({ appointmentsEnabled: false })
    const slotId = await exhibitors.offers(
      { companyId: id },
      { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', capacity: 3 },
    )
    const people = [await somebody(), await somebody(), await somebody(), await somebody()]
    const booked = []
    for (const person of people.slice(0, 3)) booked.push(await person.call('book_exhibitor_appointment', { slotId }))
    expect(await people[3]!.refused('book_exhibitor_appointment', { slotId })).toMatchObject({
      code: 'conflict',
      message: 'That slot was just taken',
    })
    await people[1]!.call('cancel_my_appointment', { appointmentId: booked[1].appointment.id })
    await people[3]!.call('book_exhibitor_appointment', { slotId })
    expect((await exhibitors.slots(id))[0]!.booked).toBe(3)
  })

  it('does not mix test data with what is real', async () => {
    const { id } = await exhibitors.company({ name: 'For show', isTestData: true })
    const [slot] = await exhibitors.slots(id)
    const petra = await somebody()
    expect(await petra.refused('book_exhibitor_appointment', { slotId: slot!.id })).toMatchObject({ code: 'not_found' })
    expect((await petra.call('list_exhibitor_availability')).companies).toEqual([])
    await world.database.pool.query('update events set test_mode = true where id = $1', [event.eventId])
    const tess = await somebody({ is_test_data: true })
    expect((await tess.call('list_exhibitor_availability')).companies).toHaveLength(1)
    await tess.call('book_exhibitor_appointment', { slotId: slot!.id })
    const { rows } = await world.database.pool.query(`select distinct status, is_test_data from messages where event_id = $1`, [
      event.eventId,
    ])
    expect(rows).toEqual([{ status: 'kept', is_test_data: true }])
  })
})

describe('cancelling', () => {
  it('frees the slot for anybody, tells the exhibitor alone, keeps the lead, and happens once', async () => {
    const { id } = await exhibitors.company({ contact: { name: 'Connie', email: 'connie@x.example' } })
    const [slot] = await exhibitors.slots(id)
    const [petra, paul] = [await somebody(), await somebody()]
    const { appointment } = await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await exhibitors.mails()).length
    await petra.call('cancel_my_appointment', { appointmentId: appointment.id, reason: 'Train', dryRun: true })
    const cancelled = await petra.call('cancel_my_appointment', { appointmentId: appointment.id, reason: 'Train' })
    expect(cancelled.appointment).toMatchObject({ id: appointment.id, status: 'cancelled', canCancel: false })
    expect(await petra.call('cancel_my_appointment', { appointmentId: appointment.id })).toEqual(cancelled)
    const mails = (await exhibitors.mails()).slice(before)
    expect(mails).toMatchObject([{ to: 'connie@x.example', code: 'appointment.cancelled' }])
    expect(mails[0]!.text).toContain('Train')
    expect(mails[0]!.attached[0]).toContain('METHOD:CANCEL')
    expect(mails[0]!.attached[0]).toContain('SEQUENCE:1')
    expect(mails[0]!.attached[0]).toContain(`UID:${appointment.id}@`)
    expect(await exhibitors.figure(`select count(*) as n from leads where company_id = '${id}'`)).toBe(1)
    await paul.call('book_exhibitor_appointment', { slotId: slot!.id })
    expect((await exhibitors.slots(id))[0]!.booked).toBe(1)
    expect(await petra.refused('book_exhibitor_appointment', { slotId: slot!.id })).toMatchObject({ code: 'conflict' })
  })

  it('is refused for what is not theirs and for what has begun', async () => {
    const { id } = await exhibitors.company()
    const [slot] = await exhibitors.slots(id)
    const [petra, paul] = [await somebody(), await somebody()]
    const { appointment } = await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    expect(await paul.refused('cancel_my_appointment', { appointmentId: appointment.id })).toMatchObject({ code: 'not_found' })
    await world.clock.stopAt('2027-05-11T08:00:00Z')
    const later = await somebody()
    await world.database.pool.query('update appointments set participant_id = $1 where id = $2', [later.id, appointment.id])
    expect(await later.refused('cancel_my_appointment', { appointmentId: appointment.id })).toMatchObject({ code: 'precondition_failed' })
  })

  it('happens by itself when the registration ends', async () => {
    const { id } = await exhibitors.company({ contact: { email: 'connie@y.example' } })
    const [slot] = await exhibitors.slots(id)
    const data = { '@participant.firstName': 'Petra', '@participant.lastName': 'Leaves', '@participant.email': 'petra.leaves@example.org' }
    const { participant } = await olga.call('add_participant', { eventCode: event.eventCode, flowSlug: 'attendee', data })
    const petra = await signedIn(participant.id)
    await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await exhibitors.mails()).length
    await olga.call('edit_participant', { eventCode: event.eventCode, participantId: petra.id, status: 'cancelled' })
    expect((await exhibitors.slots(id))[0]!.booked).toBe(0)
    expect((await exhibitors.mails()).slice(before).map(({ to, code }) => [to, code])).toContainEqual([
      'connie@y.example',
      'appointment.cancelled',
    ])
  })
})

describe('a substitution', () => {
  it('cancels what the leaving person had; the new one has none', async () => {
    const { id } = await exhibitors.company({ contact: { email: 'connie@z.example' } })
    const [slot] = await exhibitors.slots(id)
    const petra = await somebody({ flow_slug: 'attendee' })
    await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await exhibitors.mails()).length
    const replacement = { '@participant.firstName': 'Nora', '@participant.lastName': 'New', '@participant.email': 'nora@example.org' }
    const { to, dropped } = await olga.call('substitute_participant', { eventCode: event.eventCode, participantId: petra.id, replacement })
    expect(dropped).toEqual({ appointments: 1 })
    expect((await exhibitors.mails()).slice(before).map(({ to: address, code }) => [address, code])).toContainEqual([
      'connie@z.example',
      'appointment.cancelled',
    ])
    const statuses = await world.database.pool.query('select participant_id, status from appointments where company_id = $1', [id])
    expect(statuses.rows).toEqual([{ participant_id: petra.id, status: 'cancelled' }])
    expect(await exhibitors.figure(`select count(*) as n from appointments where participant_id = '${to.id}'`)).toBe(0)
    expect(await exhibitors.figure(`select count(*) as n from leads where participant_id = '${petra.id}'`)).toBe(1)
  })
})

describe('my appointments', () => {
  it('are listed by start, with past and cancelled ones when asked for', async () => {
    const { id } = await exhibitors.company({ name: 'Borealis' })
    const slots = await exhibitors.slots(id)
    const petra = await somebody()
    const second = await petra.call('book_exhibitor_appointment', { slotId: slots[1]!.id })
    const first = await petra.call('book_exhibitor_appointment', { slotId: slots[0]!.id })
    await petra.call('cancel_my_appointment', { appointmentId: second.appointment.id })
    const listed = async (args = {}) =>
      (await petra.call('list_my_appointments', args)).appointments.map((a: any) => [a.id, a.status, a.canCancel])
    expect(await listed()).toEqual([[first.appointment.id, 'booked', true]])
    expect(await listed({ includeCancelled: true })).toEqual([
      [first.appointment.id, 'booked', true],
      [second.appointment.id, 'cancelled', false],
    ])
    expect((await petra.call('list_my_appointments')).appointments[0]).toMatchObject({
      kind: 'exhibitor',
      with: 'Borealis',
      localStart: '2027-05-11T10:00',
    })
  })

  it('with other participants are seen and cancelled from both sides, and the mail goes to the other', async () => {
    const host = await somebody({ first_name: 'Hugo', last_name: 'Host', email: 'hugo@example.org' })
    const guest = await somebody({ first_name: 'Gina', last_name: 'Guest', email: 'gina@example.org' })
    const slot = { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', location: 'Lounge' }
    const slotId = await exhibitors.offers({ hostParticipantId: host.id }, slot)
    const { appointment } = await guest.call('book_exhibitor_appointment', { slotId })
    expect(appointment).toMatchObject({ company: 'Hugo Host', location: 'Lounge' })
    const withWhom = async (person: PersonHandle) =>
      (await person.call('list_my_appointments')).appointments.map((a: any) => [a.kind, a.with])
    expect(await withWhom(host)).toEqual([['participant', 'Gina Guest']])
    expect(await withWhom(guest)).toEqual([['participant', 'Hugo Host']])
    expect(await exhibitors.figure(`select count(*) as n from leads where event_id = '${event.eventId}'`)).toBe(0)
    expect((await exhibitors.mails()).map(({ to }) => to)).toEqual(['gina@example.org', 'hugo@example.org'])
    // Hugo is busy then, also for what he would book himself.
    const { id } = await exhibitors.company()
    const [atThatTime] = await exhibitors.slots(id)
    expect(await host.refused('book_exhibitor_appointment', { slotId: atThatTime!.id })).toMatchObject({ code: 'conflict' })
    await host.call('cancel_my_appointment', { appointmentId: appointment.id })
    expect((await exhibitors.mails()).at(-1)).toMatchObject({ to: 'gina@example.org', code: 'appointment.cancelled' })
    await host.call('book_exhibitor_appointment', { slotId: atThatTime!.id })
  })
})
