import { describe, expect, it } from 'vitest'
import { createHotelAt } from '../../../../test/support/hotels.ts'
import { createSessionAt, programSections } from '../../../../test/support/programs.ts'
import { newAttendee, useSalesScenario } from '../../../../test/support/sales-scenario.ts'
import { CONGRESS } from '../../../participant-tools/tests/congress.ts'

const [attendee, ...others] = CONGRESS.flows
const scenario = useSalesScenario({
  ...CONGRESS,
  ...programSections(),
  housing: { enabled: true },
  flows: [
    {
      ...attendee!,
      pages: [
        ...attendee!.pages.slice(0, -1),
        {
          code: 'stay',
          title: 'Stay',
          widgets: [
            { id: 'room', type: 'housing' },
            { id: 'talks', type: 'sessions' },
          ],
        },
        ...attendee!.pages.slice(-1),
      ],
    },
    ...others,
  ],
})

const describeFlow = async (flowSlug = 'attendee') => {
  const { pages } = await scenario.call('describe_participant_flow', { flowSlug })
  const widgets: any[] = pages.flatMap((page: any) => page.widgets)
  return (binding: string) => {
    const { responseType, choices, format } = widgets.find((widget) => widget.binding === binding)
    return { responseType, ...(choices ? { choices } : {}), ...(format ? { format } : {}) }
  }
}

describe('describe_participant_flow', () => {
  it('returns the type, choices and format of every question', async () => {
    const field = await describeFlow()
    expect(field('@participant.firstName')).toEqual({ responseType: 'text', format: 'at most 100 characters' })
    expect(field('@participant.email')).toEqual({ responseType: 'email', format: 'name@example.org' })
    expect(field('@participant.country').responseType).toBe('country')
    // Only the choices that the question offers, without retired ones.
    expect(field('@custom.diet')).toEqual({
      responseType: 'choice',
      choices: [
        { code: 'none', name: 'No wishes' },
        { code: 'vegan', name: 'Vegan' },
      ],
    })
    expect(field('@custom.topics')).toMatchObject({ responseType: 'multiChoice', format: 'list of codes, at most 2' })
    expect(field('@custom.arrival')).toEqual({ responseType: 'date', format: 'YYYY-MM-DD from 2026-08-25 to 2026-09-02' })
    expect(field('@custom.years')).toEqual({ responseType: 'number', format: 'whole number from 0 to 60' })
    expect(field('@custom.origin')).toEqual({ responseType: 'country', format: 'country by code or name, such as DE or Germany' })
    expect(field('@custom.first-time')).toEqual({ responseType: 'boolean', format: 'true or false' })
  })

  it('returns the ids of hotels and conference sessions as choices that add_participant accepts', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    const sessionId = await createSessionAt(scenario.world, scenario.event, { title: 'Opening' })
    const field = await describeFlow()
    expect(field('@housing.hotelId')).toEqual({ responseType: 'choice', choices: [{ code: hotelId, name: 'Grand' }] })
    expect(field('@housing.roomTypeCode').choices).toEqual([{ code: 'king', name: 'King room (Grand)' }])
    expect(field('@session.')).toMatchObject({ responseType: 'boolean', choices: [{ code: sessionId, name: 'Opening' }] })
    const data = newAttendee({
      '@participant.country': 'PT',
      '@custom.diet': 'vegan',
      '@housing.hotelId': field('@housing.hotelId').choices[0].code,
      '@housing.roomTypeCode': field('@housing.roomTypeCode').choices[0].code,
      '@housing.checkIn': '2026-09-01',
      '@housing.checkOut': '2026-09-02',
      [`@session.${field('@session.').choices[0].code}`]: true,
    })
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    const { housing, sessions } = await scenario.call('get_participant', {
      participantId: participant.id,
      include: ['housing', 'sessions'],
    })
    expect(JSON.stringify([housing, sessions])).toContain('Grand')
    expect(JSON.stringify(sessions)).toContain(sessionId)
  })

  it('truncates long lists of choices and notes that they were truncated', async () => {
    const choices = Array.from({ length: 60 }, (_, i) => ({ code: `city-${i}`, name: `City ${i}` }))
    const cityWidget = { id: 'city', type: 'field', binding: '@custom.city' }
    const page = { ...CONGRESS.flows[1]!.pages[0]!, widgets: [...CONGRESS.flows[1]!.pages[0]!.widgets, cityWidget] }
    await scenario.publish({
      customFields: [{ code: 'city', name: 'City', responseType: 'choice', choices }],
      flows: [{ slug: 'cities', name: 'Cities', pages: [page, CONGRESS.flows[0]!.pages.at(-1)!] }],
    })
    const city = (await describeFlow('cities'))('@custom.city')
    expect(city.choices).toHaveLength(30)
    expect(city.format).toBe('30 more choices are left out; names are understood too')
  })
})
