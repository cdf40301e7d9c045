import { describe, expect, it } from 'vitest'
import { appointmentsStory, EXHIBITORS } from './appointments-story.ts'

const scenario = appointmentsStory()

describe('list_exhibitor_availability', () => {
  it("returns slots within the meeting hours in the event's time zone, without the lunch break and incomplete slots", async () => {
    const { id } = await scenario.exhibitors.company({ name: 'Borealis' })
    const petra = await scenario.createParticipant()
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

  it('filters appointment slots by company, words, day and hours, and omits slots that start too soon to book', async () => {
    const borealis = await scenario.exhibitors.company({ name: 'Borealis Systems' })
    await scenario.exhibitors.company({ name: 'Cumulus' })
    await scenario.exhibitors.company({ name: 'Not yet', status: 'invited' })
    const petra = await scenario.createParticipant()
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
    // Notice is 30 minutes: at 10:00 the 10:30 slot is no longer offered, the 11:00 slot is.
    await scenario.world.clock.stopAt('2027-05-11T08:00:00Z')
    const late = await scenario.createParticipant()
    const { companies } = await late.call('list_exhibitor_availability', { companyId: borealis.id })
    expect(companies[0].slots[0].localStart).toBe('2027-05-11T11:00')
    expect(await late.refused('list_exhibitor_availability', { companyId: 'f'.repeat(24) })).toMatchObject({ code: 'not_found' })
  })

  it('creates slots for the new hours when the event is published again, and keeps booked slots', async () => {
    const { id } = await scenario.exhibitors.company()
    const petra = await scenario.createParticipant()
    const [first] = await scenario.exhibitors.slots(id)
    await petra.call('book_exhibitor_appointment', { slotId: first!.id })
    await scenario.exhibitors.publish({
      ...EXHIBITORS,
      exhibitorConfig: { meetingHours: [{ day: '2027-05-11', from: '09:45', until: '11:45' }], appointmentMinutes: 45 },
    })
    expect((await scenario.exhibitors.slots(id)).map(({ startsAt, booked }) => [startsAt, booked])).toEqual([
      ['2027-05-11T08:00:00.000Z', 1],
      ['2027-05-11T08:30:00.000Z', 0],
    ])
  })

  it('offers no generated slots of a company that stops taking appointments, and offers them again when it resumes', async () => {
    const { id } = await scenario.exhibitors.company({ name: 'Borealis' })
    const [petra, paul] = [await scenario.createParticipant(), await scenario.createParticipant()]
    const [first, second] = await scenario.exhibitors.slots(id)
    await petra.call('book_exhibitor_appointment', { slotId: first!.id })
    const takeAppointments = (appointmentsEnabled: boolean) =>
      scenario.olga.call('manage_company', {
        eventCode: scenario.event.eventCode,
        action: 'update',
        companyId: id,
        fields: { appointmentsEnabled },
      })
    const listFree = async () =>
      (await paul.call('list_exhibitor_availability', { companyId: id })).companies[0].slots.map((slot: any) => slot.localStart.slice(11))
    await takeAppointments(false)
    expect(await listFree()).toEqual([])
    expect(await paul.refused('book_exhibitor_appointment', { slotId: second!.id })).toMatchObject({ code: 'not_found' })
    expect(await scenario.exhibitors.slots(id)).toEqual([{ ...first, booked: 1 }])
    await takeAppointments(true)
    expect(await listFree()).toEqual(['10:30', '11:00', '11:30', '13:00', '13:30'])
  })

  it('offers only imported slots of a company that has any, also after the event is published again', async () => {
    const [{ id }, other] = [
      await scenario.exhibitors.company({ name: 'Borealis' }),
      await scenario.exhibitors.company({ name: 'Cumulus' }),
    ]
    const petra = await scenario.createParticipant()
    const load = (from: string, until: string) =>
      scenario.olga.call('import_appointment_offerings', {
        eventCode: scenario.event.eventCode,
        rows: [{ company: 'Borealis', day: '2027-05-11', from, until, minutes: 30 }],
      })
    const listStarts = async (companyId: string) =>
      (await petra.call('list_exhibitor_availability', { companyId })).companies[0].slots.map((slot: any) => slot.localStart.slice(11))
    expect(await load('10:15', '10:45')).toMatchObject({ created: 1, existing: 0, removed: 6 })
    expect(await listStarts(id)).toEqual(['10:15'])
    // Imported slots at the times of generated ones are also imported slots.
    expect(await load('11:00', '12:00')).toMatchObject({ created: 2, existing: 0, removed: 0 })
    expect(await load('11:00', '12:00')).toMatchObject({ created: 0, existing: 2, removed: 0 })
    await scenario.exhibitors.publish(EXHIBITORS)
    expect(await listStarts(id)).toEqual(['10:15', '11:00', '11:30'])
    expect(await listStarts(other.id)).toHaveLength(6)
  })
})
