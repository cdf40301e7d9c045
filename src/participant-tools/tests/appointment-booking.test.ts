import { describe, expect, it } from 'vitest'
import { buildRectangle } from '../../../test/support/companies.ts'
import { appointmentsStory, EXHIBITORS } from './appointments-story.ts'

const scenario = appointmentsStory()

describe('book_exhibitor_appointment', () => {
  it('books an appointment with a lead and emails to both sides, and books nothing when repeated', async () => {
    const { id } = await scenario.exhibitors.company({ name: 'Borealis', contact: { name: 'Connie', email: 'connie@borealis.example' } })
    await scenario.exhibitors.plan({}, [{ number: '101', polygon: buildRectangle(3, 3, 3, 3) }])
    await scenario.exhibitors.assign('101', id)
    const ada = await scenario.createParticipant({
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.org',
      job_title: 'CTO',
      mobile_phone: '+49 170 1',
      custom_field_responses: JSON.stringify({ topics: ['ai', 'b2b'], diet: 'vegan' }),
      sharing: JSON.stringify({ mobilePhone: 'share', email: 'restrict', 'cf:topics': 'share', 'cf:diet': 'share' }),
    })
    const [slot] = await scenario.exhibitors.slots(id)
    const rehearsed = await ada.call('book_exhibitor_appointment', { slotId: slot!.id, dryRun: true })
    expect(rehearsed.shared).toEqual(['firstName', 'lastName', 'jobTitle', 'mobilePhone', 'cf:topics'])
    expect(await scenario.exhibitors.listEmails()).toEqual([])
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
    const [toAda, toConnie, ...more] = await scenario.exhibitors.listEmails()
    expect(more).toEqual([])
    expect([toAda!.to, toAda!.code, toConnie!.to, toConnie!.code]).toEqual([
      'ada@example.org',
      'appointment.booked',
      'connie@borealis.example',
      'appointment.booked',
    ])
    expect(toAda!.subject).toBe(`Appointment with Borealis at Event ${scenario.event.eventCode}`)
    expect(toAda!.text).toContain('Tuesday, 11 May 2027 at 10:00')
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
    const { rows } = await scenario.world.database.pool.query(
      `select l.id, l.captures, l.source, l.first_captured_at, (select array_agg(type) from lead_captures c where c.lead_id = l.id) as types from leads l where company_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ id: booked.leadId, captures: 0, source: 'appointment', first_captured_at: null, types: ['appointment'] }])
  })

  it('keeps an existing lead and its scans when an appointment is booked', async () => {
    const { id } = await scenario.exhibitors.company()
    const petra = await scenario.createParticipant()
    const leadId = '0'.repeat(23) + '1'
    await scenario.world.database.pool.query(
      `insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source, status) values ($1, $2, $3, $4, $5, false, 'sdk', 'deleted')`,
      [scenario.event.tenantId, scenario.event.eventId, leadId, id, petra.id],
    )
    for (const [n, at] of [
      ['a', '2027-05-11T07:00:00Z'],
      ['b', '2027-05-11T06:00:00Z'],
    ]) {
      await scenario.world.database.pool.query(
        `insert into lead_captures (tenant_id, event_id, id, lead_id, company_id, type, at) values ($1, $2, $3, $4, $5, 'sdk', $6)`,
        [scenario.event.tenantId, scenario.event.eventId, n!.repeat(24), leadId, id, at],
      )
    }
    const [slot] = await scenario.exhibitors.slots(id)
    expect((await petra.call('book_exhibitor_appointment', { slotId: slot!.id })).leadId).toBe(leadId)
    const { rows } = await scenario.world.database.pool.query(
      `select captures, source, status, first_captured_at from leads where id = $1`,
      [leadId],
    )
    expect(rows).toEqual([{ captures: 2, source: 'sdk', status: 'active', first_captured_at: new Date('2027-05-11T06:00:00Z') }])
  })

  it('leaves an appointment pending if the exhibitor must approve it, and informs both sides', async () => {
    const { id } = await scenario.exhibitors.company({ appointmentsEnabled: false })
    const slotId = await scenario.exhibitors.offerSlot(
      { companyId: id },
      { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', approval: 'manual', location: 'Lounge' },
    )
    const petra = await scenario.createParticipant()
    const { appointment, leadId } = await petra.call('book_exhibitor_appointment', { slotId })
    expect(appointment).toMatchObject({ status: 'pending', location: 'Lounge' })
    expect(leadId).toHaveLength(24)
    const mails = await scenario.exhibitors.listEmails()
    expect(mails).toHaveLength(2)
    for (const { subject, attached } of mails) {
      expect(subject).toMatch(/requested/)
      expect(attached[0]).toContain('STATUS:TENTATIVE')
    }
  })

  it('rejects appointment slots that cannot be booked', async () => {
    const { id } = await scenario.exhibitors.company()
    const other = await scenario.exhibitors.company()
    const [first, second] = await scenario.exhibitors.slots(id)
    const [sameTime] = await scenario.exhibitors.slots(other.id)
    const petra = await scenario.createParticipant()
    const paul = await scenario.createParticipant()
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
      message: `Appointment ${appointment.id} is at the same time, from 2027-05-11T10:00 to 2027-05-11T10:30. To book this slot, cancel it first, or choose another slot`,
    })
    await scenario.world.database.pool.query(
      `insert into sessions (tenant_id, event_id, id, code, title, track_code, format_code, starts_at, ends_at, status)
       values ($1, $2, $3, 'opening', 'Opening', 'main', 'talk', '2027-05-11T08:15:00Z', '2027-05-11T08:30:00Z', 'scheduled')`,
      [scenario.event.tenantId, scenario.event.eventId, 'ab'.repeat(12)],
    )
    await scenario.world.database.pool.query(
      `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`,
      [scenario.event.tenantId, scenario.event.eventId, 'ab'.repeat(12), paul.id],
    )
    expect(await paul.refused('book_exhibitor_appointment', { slotId: sameTime!.id })).toMatchObject({
      code: 'conflict',
      message:
        'The session “Opening” is at the same time, from 2027-05-11T10:15 to 2027-05-11T10:30. To book this slot, leave it first, or choose another slot',
    })
    // A slot that begins when the session ends can be booked.
    await paul.call('book_exhibitor_appointment', { slotId: second!.id })
    const waiting = await scenario.createParticipant({ status: 'waitlisted' })
    expect(await waiting.refused('book_exhibitor_appointment', { slotId: second!.id })).toMatchObject({ code: 'precondition_failed' })
    expect(await petra.refused('book_exhibitor_appointment', { slotId: 'e'.repeat(24) })).toMatchObject({ code: 'not_found' })
    expect((await petra.with({ session: null }).refused('book_exhibitor_appointment', { slotId: second!.id })).message).toBe(
      'Missing X-Participant-Session header — call agent_verify_otp first',
    )
    await scenario.world.clock.stopAt('2027-05-11T08:00:00Z')
    const late = await scenario.createParticipant()
    expect(await late.refused('book_exhibitor_appointment', { slotId: second!.id })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('at least 30 minutes ahead'),
    })
  })

  it('enforces the limit of appointments for each person', async () => {
    await scenario.exhibitors.publish({ ...EXHIBITORS, exhibitorConfig: { ...EXHIBITORS.exhibitorConfig, maxAppointmentsPerPerson: 2 } })
    const { id } = await scenario.exhibitors.company()
    const [first, second, third] = await scenario.exhibitors.slots(id)
    const petra = await scenario.createParticipant()
    for (const slot of [first!, second!]) await petra.call('book_exhibitor_appointment', { slotId: slot.id })
    expect(await petra.refused('book_exhibitor_appointment', { slotId: third!.id })).toMatchObject({ code: 'limit_exceeded' })
    expect((await scenario.exhibitors.slots(id))[2]!.booked).toBe(0)
  })

  it('gives a slot with a capacity of three to three people, and frees a seat on cancellation', async () => {
    const { id } = await scenario.exhibitors.company({ appointmentsEnabled: false })
    const slotId = await scenario.exhibitors.offerSlot(
      { companyId: id },
      { startsAt: '2027-05-11T08:00:00Z', endsAt: '2027-05-11T08:30:00Z', capacity: 3 },
    )
    const people = [
      await scenario.createParticipant(),
      await scenario.createParticipant(),
      await scenario.createParticipant(),
      await scenario.createParticipant(),
    ]
    const booked = []
    for (const person of people.slice(0, 3)) booked.push(await person.call('book_exhibitor_appointment', { slotId }))
    expect(await people[3]!.refused('book_exhibitor_appointment', { slotId })).toMatchObject({
      code: 'conflict',
      message: 'That slot was just taken',
    })
    await people[1]!.call('cancel_my_appointment', { appointmentId: booked[1].appointment.id })
    await people[3]!.call('book_exhibitor_appointment', { slotId })
    expect((await scenario.exhibitors.slots(id))[0]!.booked).toBe(3)
  })

  it('does not offer test exhibitors to real participants, and sends no emails for test appointments', async () => {
    const { id } = await scenario.exhibitors.company({ name: 'For show', isTestData: true })
    const [slot] = await scenario.exhibitors.slots(id)
    const petra = await scenario.createParticipant()
    expect(await petra.refused('book_exhibitor_appointment', { slotId: slot!.id })).toMatchObject({ code: 'not_found' })
    expect((await petra.call('list_exhibitor_availability')).companies).toEqual([])
    await scenario.world.database.pool.query('update events set test_mode = true where id = $1', [scenario.event.eventId])
    const tess = await scenario.createParticipant({ is_test_data: true })
    expect((await tess.call('list_exhibitor_availability')).companies).toHaveLength(1)
    await tess.call('book_exhibitor_appointment', { slotId: slot!.id })
    const { rows } = await scenario.world.database.pool.query(`select distinct status, is_test_data from messages where event_id = $1`, [
      scenario.event.eventId,
    ])
    expect(rows).toEqual([{ status: 'kept', is_test_data: true }])
  })
})
