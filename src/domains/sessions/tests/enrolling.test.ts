import { describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import {
  listSessionPeople,
  type PlannedSession,
  createSessionAt,
  createSpeakerAt,
  programSections,
} from '../../../../test/support/programs.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { useSalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { replaceSessionEnrolments, enrolInSession, cancelSessionEnrolments } from '../enrol.ts'

const scenario = useSalesScenario(programSections())

const plan = (session: PlannedSession = {}) => createSessionAt(scenario.world, scenario.event, session)
const people = (sessionId: string) => listSessionPeople(scenario.world, sessionId)
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const hears = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`@session.${id}`, true]))
const registered = async (sessions: readonly string[] = [], products: Record<string, number> = { pass: 1 }): Promise<string> =>
  (await scenario.register(products, { data: hears(...sessions), joinWaitlist: true })).participant.id
const here = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(scenario.world, scenario.event, run)
const attendee = (id: string) => ({ id, is_test_data: false })
const statusOf = async (id: string, sessionId: string) =>
  (await rows('select status from session_enrolments where participant_id = $1 and session_id = $2', [id, sessionId]))[0]?.status
const promotedMails = (sessionId: string) =>
  rows(`select to_address, text_body from messages where source_id = $1 and email_code = 'waitlist.promoted' order by id`, [sessionId])
const holds = async () =>
  (await checkIntegrity(scenario.world.database.write, scenario.event.tenantId, scenario.event.eventId)).filter(({ ok }) => !ok)

describe('session enrolment', () => {
  it('enrols participants when they register, keeps the waiting list in order, and promotes and emails the next participant in the transaction that frees a seat', async () => {
    const talk = await plan({ title: 'Paying for pipes', capacity: 1 })
    const [first, second, third] = [await registered([talk]), await registered([talk]), await registered([talk])]
    expect(await people(talk)).toEqual({ enrolled: [first], waiting: [second, third], sold: 1 })
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(first), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [second], waiting: [third], sold: 1 })
    const [email, ...others] = await promotedMails(talk)
    expect(others).toEqual([])
    expect(email.text_body).toContain('now have a seat for Paying for pipes')
    expect(email.to_address).toBe((await rows('select email from participants where id = $1', [second]))[0].email)
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(second), [talk]))
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(third), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [], waiting: [], sold: 0 })
    expect(await holds()).toEqual([])
  })

  it('rejects a full session in add_participant unless joinWaitlist or overrideCapacity is passed', async () => {
    const talk = await plan({ title: 'Deep water', capacity: 1 })
    const first = await registered([talk])
    const data = { ...newAttendee(hears(talk)), '@product.pass': 1 }
    const args = { flowSlug: 'attendee', data }
    const refusal = { code: 'precondition_failed', message: 'Deep water is full (1 of 1) — pass joinWaitlist or overrideCapacity' }
    expect(await scenario.refused('add_participant', args)).toMatchObject(refusal)
    expect(await scenario.refused('add_participant', { ...args, dryRun: true })).toMatchObject(refusal)
    expect(await rows('select 1 from participants where email = $1', [data['@participant.email' as keyof typeof data]])).toEqual([])
    const waiting = await scenario.call('add_participant', { ...args, joinWaitlist: true })
    expect(waiting).toMatchObject({ status: 'new', participant: { status: 'complete' }, waitsFor: [`session:${talk}`] })
    const extra = await scenario.register({ pass: 1 }, { data: hears(talk), overrideCapacity: true })
    expect(extra).not.toHaveProperty('waitsFor')
    const crowd = await people(talk)
    expect(crowd).toMatchObject({ waiting: [waiting.participant.id], sold: 2 })
    expect(new Set(crowd.enrolled)).toEqual(new Set([first, extra.participant.id]))
    // The additional seat beyond the capacity is removed first, so no participant is promoted until a regular seat is free.
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(first), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [extra.participant.id], waiting: [waiting.participant.id], sold: 1 })
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(extra.participant.id), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [waiting.participant.id], waiting: [], sold: 1 })
    expect(await holds()).toEqual([])
  })

  it('rejects a sold-out product with a waiting list in add_participant, like a full session', async () => {
    const stock = async () => (await rows(`select sold, overage from inventory where key = 'product:pass'`))[0]
    await rows(`update inventory set capacity = sold where key = 'product:pass'`)
    const { sold } = await stock()
    const args = () => ({ flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1 } })
    expect(await scenario.refused('add_participant', args())).toMatchObject({
      code: 'precondition_failed',
      message: `Pass is full (${sold} of ${sold}) — pass joinWaitlist or overrideCapacity`,
    })
    await scenario.call('add_participant', { ...args(), overrideCapacity: true })
    expect(await stock()).toEqual({ sold: sold + 1, overage: 1 })
    await rows(`update inventory set capacity = null, overage = 0 where key = 'product:pass'`)
  })

  it('enrols a participant once when called twice, and adds returning participants to the end of the waiting list', async () => {
    const talk = await plan({ capacity: 1 })
    const [first, second] = [await registered([talk]), await registered([talk])]
    expect(await here((ctx) => enrolInSession(ctx, attendee(first), talk))).toBe('enrolled')
    expect(await here((ctx) => enrolInSession(ctx, attendee(second), talk))).toBe('waitlisted')
    expect(await people(talk)).toMatchObject({ enrolled: [first], waiting: [second] })
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(first), [talk]))
    expect(await here((ctx) => enrolInSession(ctx, attendee(first), talk))).toBe('waitlisted')
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(second), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [first], waiting: [], sold: 1 })
    expect(await promotedMails(talk)).toHaveLength(2)
  })

  it('replaces a session, and keeps the old one if the new one is full and the participant did not accept the waiting list', async () => {
    const [from, to, small] = [await plan({ capacity: 5 }), await plan({ capacity: 5 }), await plan({ capacity: 0 })]
    const id = await registered([from])
    await here((ctx) => replaceSessionEnrolments(ctx, attendee(id), [to], { mayWait: () => false }))
    expect([await statusOf(id, from), await statusOf(id, to)]).toEqual(['cancelled', 'enrolled'])
    await expect(here((ctx) => replaceSessionEnrolments(ctx, attendee(id), [small], { mayWait: () => false }))).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { fields: [{ path: `@session.${small}`, message: expect.stringContaining('has just become full') }] },
    })
    expect([await statusOf(id, to), await statusOf(id, small)]).toEqual(['enrolled', undefined])
    await here((ctx) => replaceSessionEnrolments(ctx, attendee(id), [small], { mayWait: () => true }))
    expect([await statusOf(id, to), await statusOf(id, small)]).toEqual(['cancelled', 'waitlisted'])
  })

  it('stops promoting participants from the waiting list once the session has begun', async () => {
    const talk = await plan({ capacity: 1, from: '2026-09-01T10:00' })
    const [first, second] = [await registered([talk]), await registered([talk])]
    await scenario.world.clock.stopAt('2026-09-01T08:00:00Z')
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(first), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [], waiting: [second], sold: 0 })
    expect(await promotedMails(talk)).toEqual([])
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('takes no session seat for test participants', async () => {
    const talk = await plan({ capacity: 1 })
    const person = await createRegistrationFixtures(scenario.world, scenario.event).person({ is_test_data: true })
    expect(await here((ctx) => enrolInSession(ctx, { id: person, is_test_data: true }, talk))).toBe('enrolled')
    expect((await people(talk)).sold).toBe(0)
    const real = await registered()
    expect(await here((ctx) => enrolInSession(ctx, attendee(real), talk))).toBe('enrolled')
    expect(await people(talk)).toMatchObject({ sold: 1 })
  })
})

describe('sessions of cancelled registrations', () => {
  it('gives the session seats of a cancelled registration to the waiting list, and restores them on reinstatement if seats are left', async () => {
    const [talk, other] = [await plan({ capacity: 1 }), await plan({ from: '2026-09-02T10:00', capacity: 1 })]
    const [first, second] = [await registered([talk, other]), await registered([talk])]
    await scenario.call('edit_participant', { participantId: first, status: 'cancelled', reason: 'ill' })
    expect(await people(talk)).toEqual({ enrolled: [second], waiting: [], sold: 1 })
    expect((await people(other)).sold).toBe(0)
    expect(await promotedMails(talk)).toHaveLength(1)
    const back = await scenario.call('edit_participant', { participantId: first, status: 'complete' })
    expect(back.notRestored).toEqual([`session.${talk}`])
    expect(await people(talk)).toEqual({ enrolled: [second], waiting: [first], sold: 1 })
    expect((await people(other)).enrolled).toEqual([first])
    expect(await holds()).toEqual([])
  })

  it('passes the sessions of a replaced participant to the substitute, or cancels them', async () => {
    const [talk, full] = [await plan({ capacity: 1 }), await plan({ from: '2026-09-02T10:00', capacity: 0 })]
    const leaving = await registered([talk, full])
    const waiting = await registered([talk])
    const { to, moved } = await scenario.call('substitute_participant', { participantId: leaving, replacement: newAttendee() })
    expect(moved.sessions).toBe(2)
    expect(await people(talk)).toEqual({ enrolled: [to.id], waiting: [waiting], sold: 1 })
    expect((await people(full)).waiting).toEqual([to.id])
    const transfer = { housing: true, sessions: false, guests: false }
    const next = await scenario.call('substitute_participant', { participantId: to.id, replacement: newAttendee(), transfer })
    expect(next.moved.sessions).toBe(0)
    expect(await people(talk)).toEqual({ enrolled: [waiting], waiting: [], sold: 1 })
    expect(await holds()).toEqual([])
  })

  it("cancels a participant's session enrolments together with the product that the sessions require", async () => {
    const lab = await plan({ productCode: 'workshop', formatCode: 'workshop', capacity: 1 })
    const without = await scenario.refused('add_participant', { flowSlug: 'attendee', data: { ...newAttendee(), ...hears(lab) } })
    expect(without.fields).toEqual([{ path: `@session.${lab}`, message: expect.stringMatching(/is only for those who have “Workshop A”/) }])
    const id = await registered([lab], { pass: 1, workshop: 1 })
    await scenario.call('edit_participant', { participantId: id, data: { '@participant.company': 'Bolt' } })
    expect((await people(lab)).enrolled).toEqual([id])
    const { changed } = await scenario.call('edit_participant', { participantId: id, data: { '@product.workshop': 0 } })
    expect(changed).toContain('sessions')
    expect((await people(lab)).sold).toBe(0)
  })
})

describe('session changes by organizers', () => {
  it('applies the same enrolment rules to organizers as to participants', async () => {
    const [talk, clash, tight] = [
      await plan({ title: 'One', roomCode: 'hall' }),
      await plan({ title: 'Two', from: '2026-09-01T10:30' }),
      await plan({ title: 'Three', from: '2026-09-03T10:00', capacity: 0 }),
    ]
    const id = await registered()
    const edit = (data: object) => scenario.call('edit_participant', { participantId: id, data })
    expect((await edit(hears(talk))).changed).toContain('sessions')
    expect((await scenario.refused('edit_participant', { participantId: id, data: hears(tight) })).message).toMatch(/^Three is full/)
    const refused = await scenario.refused('edit_participant', { participantId: id, data: hears(clash) })
    expect(refused.fields).toEqual([{ path: `@session.${clash}`, message: '“One” and “Two” are at the same time. Choose one of them' }])
    const nowhere = await scenario.refused('edit_participant', { participantId: id, data: hears('f'.repeat(24)) })
    expect(nowhere.code).toBe('invalid_arguments')
    const { sessions } = await scenario.call('get_participant', { participantId: id, include: ['sessions'] })
    expect(sessions).toMatchObject([
      {
        sessionId: talk,
        title: 'One',
        startsAt: '2026-09-01T08:00:00.000Z',
        endsAt: '2026-09-01T08:40:00.000Z',
        room: 'Great hall',
        status: 'enrolled',
        rank: null,
      },
    ])
    await edit({ [`@session.${talk}`]: null, ...hears(clash) })
    expect([await statusOf(id, talk), await statusOf(id, clash)]).toEqual(['cancelled', 'enrolled'])
  })

  it('refuses to publish a configuration without the tracks and rooms that sessions use', async () => {
    await plan({ trackCode: 'run', roomCode: 'attic', from: '2026-09-04T10:00' })
    await plan({ trackCode: 'run', from: '2026-09-04T10:00' })
    const operations = ['/sessions/tracks/run', '/sessions/rooms/attic'].map((path) => ({ op: 'remove', path }))
    await scenario.call('config_set', { operations })
    const { fields } = await scenario.refused('publish_event')
    expect(fields).toEqual([
      { path: '/sessions/rooms/attic', message: 'room attic is used by 1 session — assign another one to them first, or keep it' },
      { path: '/sessions/tracks/run', message: 'track run is used by 2 sessions — assign another one to them first, or keep it' },
    ])
    await scenario.publish({ sessions: programSections().sessions })
  })
})

describe('session constraints in the database', () => {
  it('accepts one session at a time per room and speaker, and sessions directly after each other', async () => {
    const speaker = await createSpeakerAt(scenario.world, scenario.event)
    const day = (from: string, until: string) => ({ from: `2026-09-05T${from}`, until: `2026-09-05T${until}` })
    await plan({ title: 'Morning', roomCode: 'hall', ...day('09:00', '10:00'), speakers: [{ speakerId: speaker }] })
    await plan({ title: 'After', roomCode: 'hall', ...day('10:00', '11:00'), speakers: [{ speakerId: speaker }] })
    await expect(plan({ roomCode: 'hall', ...day('09:59', '10:30') })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The room hall is taken by Morning from 2026-09-05T09:00 to 2026-09-05T10:00. Choose another time or room',
    })
    await expect(plan({ roomCode: 'attic', ...day('10:30', '11:30'), speakers: [{ speakerId: speaker }] })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Marta Nunes is taken by After from 2026-09-05T10:00 to 2026-09-05T11:00. Choose another time',
    })
    const later = await plan({ title: 'Later', ...day('14:00', '15:00'), speakers: [{ speakerId: speaker }] })
    const move = (columns: string) => rows(`update sessions set ${columns} where id = $1`, [later])
    await expect(
      move(`room_code = 'hall', starts_at = starts_at - interval '4 hours', ends_at = ends_at - interval '4 hours'`),
    ).rejects.toMatchObject({
      constraint: 'sessions_room_once',
    })
    await expect(move(`starts_at = starts_at - interval '4 hours', ends_at = ends_at - interval '4 hours'`)).rejects.toMatchObject({
      constraint: 'session_speakers_once',
    })
    await move(`starts_at = starts_at - interval '3 hours', ends_at = ends_at - interval '3 hours', room_code = 'hall'`)
    await rows(`update sessions set status = 'cancelled' where id = $1`, [later])
    await plan({ roomCode: 'hall', ...day('11:00', '12:00'), speakers: [{ speakerId: speaker }] })
  })

  it('rejects session enrolments above capacity, and keeps existing enrolments when the limit is lowered', async () => {
    const talk = await plan({ capacity: 2 })
    const [first, second, third] = [await registered([talk]), await registered([talk]), await registered([talk])]
    const { tenantId, eventId } = scenario.event
    await expect(
      rows(`update session_enrolments set status = 'enrolled', position = null where session_id = $1 and participant_id = $2`, [
        talk,
        third,
      ]),
    ).rejects.toMatchObject({ constraint: 'inventory_not_oversold' })
    await rows('update sessions set capacity = 1 where tenant_id = $1 and event_id = $2 and id = $3', [tenantId, eventId, talk])
    expect(await people(talk)).toMatchObject({ enrolled: [first, second].sort(), waiting: [third], sold: 2 })
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(first), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [second], waiting: [third], sold: 1 })
    await here((ctx) => cancelSessionEnrolments(ctx, attendee(second), [talk]))
    expect(await people(talk)).toEqual({ enrolled: [third], waiting: [], sold: 1 })
    expect(await holds()).toEqual([])
  })

  it('reports clashing sessions as violations of the integrity rule X9, with the names of rooms, speakers and sessions', async () => {
    const speaker = await createSpeakerAt(scenario.world, scenario.event)
    const [a, b] = [
      await plan({ code: 'x-one', from: '2026-09-06T10:00', roomCode: 'hall', speakers: [{ speakerId: speaker }], capacity: 1 }),
      await plan({ code: 'x-two', from: '2026-09-06T12:00', roomCode: 'hall', speakers: [{ speakerId: speaker }] }),
    ]
    await registered([a])
    await rows('alter table sessions drop constraint sessions_room_once')
    await rows('alter table session_speakers drop constraint session_speakers_once')
    await rows(`update sessions set starts_at = starts_at - interval '2 hours', ends_at = ends_at - interval '2 hours' where id = $1`, [b])
    await rows(`update inventory set sold = 0 where key = 'session:' || $1`, [a])
    const [x9] = (await holds()).filter(({ id }) => id === 'X9')
    expect(x9!.samples).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^room hall: x-(one and x-two|two and x-one)$/),
        expect.stringContaining(`speaker ${speaker}: `),
        'session x-one',
      ]),
    )
  })
})
