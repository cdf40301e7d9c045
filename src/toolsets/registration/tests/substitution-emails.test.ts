import { describe, expect, it } from 'vitest'
import { createHotelAt, buildRoomAnswers, buildRoomSections } from '../../../../test/support/hotels.ts'
import { useSalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'

const rooms = buildRoomSections()
/** The company is a required field. */
const scenario = useSalesScenario({
  ...rooms,
  flows: rooms.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page, index) =>
      index === 0
        ? { ...page, widgets: [...page.widgets, { id: 'works', type: 'field', binding: '@participant.jobTitle', required: true }] }
        : page,
    ),
  })),
})

const mailsOf = async (email: string) =>
  (
    await scenario.world.database.pool.query<{ code: string; text: string }>(
      `select email_code as code, text_body as text from messages where to_address = $1 order by id`,
      [email],
    )
  ).rows
const codesOf = async (email: string) => (await mailsOf(email)).map(({ code }) => code)
const registered = async (data: object = {}) =>
  (await scenario.register({ pass: 1 }, { data: { '@participant.jobTitle': 'Pilot', ...data } })).participant

describe('substitution emails', () => {
  it('mentions missing answers in the substitution email only if there are any', async () => {
    const [coming, whole] = [newAttendee(), newAttendee({ '@participant.jobTitle': 'Pilot' })]
    const first = await scenario.call('substitute_participant', { participantId: (await registered()).id, replacement: coming })
    expect(first.missing).toMatchObject([{ binding: '@participant.jobTitle' }])
    const [sent] = await mailsOf(String(coming['@participant.email']))
    expect(sent!.text).toContain('Some of your details are still missing')
    const second = await scenario.call('substitute_participant', { participantId: (await registered()).id, replacement: whole })
    expect(second.missing).toEqual([])
    expect((await mailsOf(String(whole['@participant.email'])))[0]!.text).not.toContain('still missing')
  })

  it('emails the room details to the new participant, and mentions a room to the former one only if it was cancelled', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    const [stays, goes] = [
      await registered(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
      await registered(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')),
    ]
    for (const { id } of [stays, goes]) await scenario.call('resend_participant_confirmation', { participantId: id })
    const [one, other] = [newAttendee(), newAttendee()]
    await scenario.call('substitute_participant', { participantId: stays.id, replacement: one })
    await scenario.call('substitute_participant', { participantId: goes.id, replacement: other, transfer: { housing: false } })
    expect((await codesOf(String(one['@participant.email']))).toSorted()).toEqual(['housing.confirmed', 'registration.substituted'])
    expect(await codesOf(String(other['@participant.email']))).toEqual(['registration.substituted'])
    expect((await codesOf(stays.email)).slice(-1)).toEqual(['registration.cancelled'])
    expect((await codesOf(goes.email)).slice(-2)).toEqual(['registration.cancelled', 'housing.cancelled'])
  })

  it('sends the substitution email in the new participant’s language, if the event supports it', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await scenario.call('publish_event', { acceptWarnings: true })
    const coming = newAttendee({ '@participant.language': 'de' })
    await scenario.call('substitute_participant', {
      participantId: (await registered({ '@participant.language': 'de' })).id,
      replacement: coming,
    })
    const [sent] = await mailsOf(String(coming['@participant.email']))
    expect(sent!.text).toContain('Sie sind anstelle einer anderen Person')
    expect(sent!.text).toContain('Einige Ihrer Angaben fehlen noch')
  })
})
