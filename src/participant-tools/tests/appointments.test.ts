import { describe, expect, it } from 'vitest'
import type { PersonHandle } from '../../../test/support/participants.ts'
import { appointmentsStory } from './appointments-story.ts'

const scenario = appointmentsStory()

describe('cancel_my_appointment', () => {
  it('frees the slot of a cancelled appointment, emails only the exhibitor, keeps the lead, and does nothing when repeated', async () => {
    const { id } = await scenario.exhibitors.company({ contact: { name: 'Connie', email: 'connie@x.example' } })
    const [slot] = await scenario.exhibitors.slots(id)
    const [petra, paul] = [await scenario.createParticipant(), await scenario.createParticipant()]
    const { appointment } = await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await scenario.exhibitors.listEmails()).length
    await petra.call('cancel_my_appointment', { appointmentId: appointment.id, reason: 'Train', dryRun: true })
    const cancelled = await petra.call('cancel_my_appointment', { appointmentId: appointment.id, reason: 'Train' })
    expect(cancelled.appointment).toMatchObject({ id: appointment.id, status: 'cancelled', canCancel: false })
    expect(await petra.call('cancel_my_appointment', { appointmentId: appointment.id })).toEqual(cancelled)
    const mails = (await scenario.exhibitors.listEmails()).slice(before)
    expect(mails).toMatchObject([{ to: 'connie@x.example', code: 'appointment.cancelled' }])
    expect(mails[0]!.text).toContain('Train')
    expect(mails[0]!.attached[0]).toContain('METHOD:CANCEL')
    expect(mails[0]!.attached[0]).toContain('SEQUENCE:1')
    expect(mails[0]!.attached[0]).toContain(`UID:${appointment.id}@`)
    expect(await scenario.exhibitors.figure(`select count(*) as n from leads where company_id = '${id}'`)).toBe(1)
    await paul.call('book_exhibitor_appointment', { slotId: slot!.id })
    expect((await scenario.exhibitors.slots(id))[0]!.booked).toBe(1)
    expect(await petra.refused('book_exhibitor_appointment', { slotId: slot!.id })).toMatchObject({ code: 'conflict' })
  })

  it('rejects cancelling appointments of other people and appointments that have begun', async () => {
    const { id } = await scenario.exhibitors.company()
    const [slot] = await scenario.exhibitors.slots(id)
    const [petra, paul] = [await scenario.createParticipant(), await scenario.createParticipant()]
    const { appointment } = await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    expect(await paul.refused('cancel_my_appointment', { appointmentId: appointment.id })).toMatchObject({ code: 'not_found' })
    await scenario.world.clock.stopAt('2027-05-11T08:00:00Z')
    const later = await scenario.createParticipant()
    await scenario.world.database.pool.query('update appointments set participant_id = $1 where id = $2', [later.id, appointment.id])
    expect(await later.refused('cancel_my_appointment', { appointmentId: appointment.id })).toMatchObject({ code: 'precondition_failed' })
  })

  it('cancels appointments automatically when the registration is cancelled', async () => {
    const { id } = await scenario.exhibitors.company({ contact: { email: 'connie@y.example' } })
    const [slot] = await scenario.exhibitors.slots(id)
    const data = { '@participant.firstName': 'Petra', '@participant.lastName': 'Leaves', '@participant.email': 'petra.leaves@example.org' }
    const { participant } = await scenario.olga.call('add_participant', { eventCode: scenario.event.eventCode, flowSlug: 'attendee', data })
    const petra = await scenario.signedIn(participant.id)
    await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await scenario.exhibitors.listEmails()).length
    await scenario.olga.call('edit_participant', { eventCode: scenario.event.eventCode, participantId: petra.id, status: 'cancelled' })
    expect((await scenario.exhibitors.slots(id))[0]!.booked).toBe(0)
    expect((await scenario.exhibitors.listEmails()).slice(before).map(({ to, code }) => [to, code])).toContainEqual([
      'connie@y.example',
      'appointment.cancelled',
    ])
  })
})

describe('substitution of a participant', () => {
  it('cancels the appointments of a participant who is substituted, and gives none to the replacement', async () => {
    const { id } = await scenario.exhibitors.company({ contact: { email: 'connie@z.example' } })
    const [slot] = await scenario.exhibitors.slots(id)
    const petra = await scenario.createParticipant({ flow_slug: 'attendee' })
    await petra.call('book_exhibitor_appointment', { slotId: slot!.id })
    const before = (await scenario.exhibitors.listEmails()).length
    const replacement = { '@participant.firstName': 'Nora', '@participant.lastName': 'New', '@participant.email': 'nora@example.org' }
    const { to, dropped } = await scenario.olga.call('substitute_participant', {
      eventCode: scenario.event.eventCode,
      participantId: petra.id,
      replacement,
    })
    expect(dropped).toEqual({ appointments: 1 })
    expect((await scenario.exhibitors.listEmails()).slice(before).map(({ to: address, code }) => [address, code])).toContainEqual([
      'connie@z.example',
      'appointment.cancelled',
    ])
    const statuses = await scenario.world.database.pool.query('select participant_id, status from appointments where company_id = $1', [id])
    expect(statuses.rows).toEqual([{ participant_id: petra.id, status: 'cancelled' }])
    expect(await scenario.exhibitors.figure(`select count(*) as n from appointments where participant_id = '${to.id}'`)).toBe(0)
    expect(await scenario.exhibitors.figure(`select count(*) as n from leads where participant_id = '${petra.id}'`)).toBe(1)
  })
})

describe('list_my_appointments', () => {
  it('lists appointments by start time, and past and cancelled ones only on request', async () => {
    const { id } = await scenario.exhibitors.company({ name: 'Borealis' })
    const slots = await scenario.exhibitors.slots(id)
    const petra = await scenario.createParticipant()
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

  it('shows an appointment between two participants to both; if one of them cancels it, emails the other person', async () => {
    const host = await scenario.createParticipant({ first_name: 'Hugo', last_name: 'Host', email: 'hugo@example.org' })
    const guest = await scenario.createParticipant({ first_name: 'Gina', last_name: 'Guest', email: 'gina@example.org' })
    const slot = { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', location: 'Lounge' }
    const slotId = await scenario.exhibitors.offerSlot({ hostParticipantId: host.id }, slot)
    const { appointment } = await guest.call('book_exhibitor_appointment', { slotId })
    expect(appointment).toMatchObject({ company: 'Hugo Host', location: 'Lounge' })
    const withWhom = async (person: PersonHandle) =>
      (await person.call('list_my_appointments')).appointments.map((a: any) => [a.kind, a.with])
    expect(await withWhom(host)).toEqual([['participant', 'Gina Guest']])
    expect(await withWhom(guest)).toEqual([['participant', 'Hugo Host']])
    expect(await scenario.exhibitors.figure(`select count(*) as n from leads where event_id = '${scenario.event.eventId}'`)).toBe(0)
    expect((await scenario.exhibitors.listEmails()).map(({ to }) => to)).toEqual(['gina@example.org', 'hugo@example.org'])
    // Hugo has an appointment at that time, which also blocks his own bookings.
    const { id } = await scenario.exhibitors.company()
    const [atThatTime] = await scenario.exhibitors.slots(id)
    expect(await host.refused('book_exhibitor_appointment', { slotId: atThatTime!.id })).toMatchObject({ code: 'conflict' })
    await host.call('cancel_my_appointment', { appointmentId: appointment.id })
    expect((await scenario.exhibitors.listEmails()).at(-1)).toMatchObject({ to: 'gina@example.org', code: 'appointment.cancelled' })
    await host.call('book_exhibitor_appointment', { slotId: atThatTime!.id })
  })

  it('refuses a slot of a participant who is not registered any more', async () => {
    const host = await scenario.createParticipant()
    const guest = await scenario.createParticipant()
    const slotId = await scenario.exhibitors.offerSlot(
      { hostParticipantId: host.id },
      { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z' },
    )
    await scenario.world.database.pool.query(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where id = $1`, [
      host.id,
    ])
    expect(await guest.refused('book_exhibitor_appointment', { slotId })).toMatchObject({ code: 'not_found' })
  })
})
