import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures } from '../../../test/support/companies.ts'
import { createApiAccountAt, type AccountHandle, type PersonHandle, signInParticipantAt } from '../../../test/support/participants.ts'
import { updateProfiles } from '../../../test/support/recommendations.ts'
import { createRegistrationFixtures } from '../../../test/support/registrations.ts'
import { type EventHandle, newWorld, type World } from '../../../test/support/world.ts'
import { newId } from '../../kernel/ids.ts'

const CODES = ['robotics', 'ai', 'iot', 'wine']

let world: World
let event: EventHandle
let exhibitors: Exhibitors
let account: AccountHandle
const companies: Record<string, string> = {}

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-05-01T08:00:00Z')
  event = await world.event({ startsOn: '2027-05-11' })
  await world.database.pool.query('update events set test_mode = false')
  exhibitors = createExhibitorFixtures(world, event)
  await exhibitors.publish({
    customFields: [
      { code: 'topics', name: 'Topics', responseType: 'multiChoice', choices: CODES.map((code) => ({ code, name: code })) },
      { code: 'illness', name: 'Illness', responseType: 'text', sensitive: true },
    ],
    exhibitorConfig: {
      meetingHours: [{ day: '2027-05-11', from: '10:00', until: '12:00' }],
      categories: CODES.map((code) => ({ code, name: code })),
      interestField: 'topics',
    },
  })
  account = await createApiAccountAt(world, event)
  const made: [string, string[], string][] = [
    ['Arm Works', ['robotics'], 'Industrial arms that lift and weld'],
    ['Thinker', ['ai'], 'Language models for lawyers'],
    ['Sensor City', ['iot'], 'Sensors for lawyers and street lamps'],
    ['Douro', ['wine'], 'Red wine and insulin pumps'],
  ]
  for (const [name, categories, description] of made) companies[name] = (await exhibitors.company({ name, categories, description })).id
})
afterAll(() => world.end())

const createParticipant = async (columns: Record<string, unknown> = {}) =>
  signInParticipantAt(world, event, account, await createRegistrationFixtures(world, event).person(columns))

const interested = (...topics: string[]) => ({ custom_field_responses: JSON.stringify({ topics }) })
const scan = (companyId: string, participantId: string) =>
  world.database.pool.query(
    `insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source) values ($1, $2, $3, $4, $5, false, 'manual')`,
    [event.tenantId, event.eventId, newId(), companyId, participantId],
  )
const names = async (person: PersonHandle, args = {}) =>
  (await person.call('recommend_companies', args)).companies.map(({ name }: any) => name)

describe('recommend_companies', () => {
  it("ranks companies by the person's interests", async () => {
    const robin = await createParticipant(interested('robotics'))
    const found = await robin.call('recommend_companies')
    expect(found.companies[0]).toMatchObject({ name: 'Arm Works', categories: ['robotics'], nextSlot: { localStart: '2027-05-11T10:00' } })
    expect(found.companies[0].reasons[0]).toEqual({ kind: 'categories', codes: ['robotics'] })
    expect(found.basedOn).toEqual(['interests', 'answers'])
    expect((await names(await createParticipant(interested('wine'))))[0]).toBe('Douro')
    expect(await names(robin, { category: 'ai' })).toEqual(['Thinker'])
    expect(await names(robin, { limit: 2 })).toHaveLength(2)
  })

  it("uses the person's text answers for ranking, but never sensitive or restricted answers", async () => {
    const lawyer = await createParticipant({ job_title: 'Lawyer for language models' })
    expect((await names(lawyer))[0]).toBe('Thinker')
    const quiet = await createParticipant({
      job_title: 'Lawyer for language models',
      sharing: JSON.stringify({ jobTitle: 'restrict' }),
      custom_field_responses: JSON.stringify({ illness: 'insulin pumps' }),
    })
    const found = await quiet.call('recommend_companies')
    expect(found.basedOn).toEqual(['popularity'])
    expect(found.companies.every(({ score }: any) => score === 0)).toBe(true)
  })

  it('ranks companies by number of meetings if no interests of the person are known', async () => {
    for (const company of ['Douro', 'Douro', 'Thinker'])
      await scan(companies[company]!, await createRegistrationFixtures(world, event).person())
    const found = await (await createParticipant()).call('recommend_companies')
    expect(found.basedOn).toEqual(['popularity'])
    expect(found.companies.map(({ name, score }: any) => [name, score])).toEqual([
      ['Douro', 100],
      ['Thinker', 63],
      ['Arm Works', 0],
      ['Sensor City', 0],
    ])
  })

  it('omits companies that the person met or will meet, unless requested', async () => {
    const robin = await createParticipant(interested('robotics'))
    const [slot] = await exhibitors.slots(companies['Arm Works']!)
    await robin.call('book_exhibitor_appointment', { slotId: slot!.id })
    expect(await names(robin)).not.toContain('Arm Works')
    expect((await names(robin, { excludeMet: false }))[0]).toBe('Arm Works')
  })

  it('counts meetings of similar participants if there are at least five such participants, without naming them', async () => {
    const alike = [] as string[]
    for (let i = 0; i < 10; i++) alike.push(await createRegistrationFixtures(world, event).person(interested('iot')))
    for (const id of alike.slice(0, 4)) await scan(companies['Sensor City']!, id)
    await updateProfiles({ world })
    const ida = await createParticipant(interested('iot'))
    const reasons = async () => {
      const found = await ida.call('recommend_companies')
      return [found.basedOn.includes('peers'), found.companies[0].reasons.map(({ kind }: any) => kind)]
    }
    expect(await reasons()).toEqual([false, ['categories', 'text']])
    await scan(companies['Sensor City']!, alike[4]!)
    expect(await reasons()).toEqual([true, expect.arrayContaining(['peers'])])
  })

  it('requires a registration to recommend companies', async () => {
    const early = await createParticipant()
    await world.database.pool.query(
      `update participant_sessions set participant_ids = '{}' where event_id = $1 and $2 = any(participant_ids)`,
      [event.eventId, early.id],
    )
    expect((await early.refused('recommend_companies')).message).toBe('No participant identity available')
    expect((await early.refused('list_my_appointments')).message).toBe('No verified participant identity for this run.')
    expect((await early.call('list_exhibitor_availability')).companies).toHaveLength(4)
  })
})
