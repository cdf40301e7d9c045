import { describe, expect, it } from 'vitest'
import { newAttendee } from '../../../test/support/sales-scenario.ts'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()

const storedAnswers = async (participantId: string) => {
  const { rows } = await scenario.world.database.pool.query<any>(
    `select country, custom_field_responses as custom from participants where id = $1`,
    [participantId],
  )
  return rows[0]
}
const EDITED = { '@participant.country': 'uk', '@custom.diet': 'VEGAN', '@custom.topics': 'Law; ai', '@custom.origin': 'usa' }

describe('answers given by name', () => {
  it('stores codes for countries and choices that add_participant and edit_participant receive as names or in another case', async () => {
    const data = newAttendee({
      '@participant.country': 'Germany',
      '@custom.diet': 'no  WISHES',
      '@custom.topics': ['Law', 'AI'],
      '@custom.origin': 'Österreich',
      '@participant.jobTitle': 'Chair',
    })
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    expect(await storedAnswers(participant.id)).toMatchObject({
      country: 'DE',
      custom: { diet: 'none', topics: ['law', 'ai'], origin: 'AT' },
    })
    await scenario.call('edit_participant', { participantId: participant.id, data: EDITED })
    expect(await storedAnswers(participant.id)).toMatchObject({
      country: 'GB',
      custom: { diet: 'vegan', topics: ['law', 'ai'], origin: 'US' },
    })
    const same = await scenario.call('edit_participant', { participantId: participant.id, data: { '@custom.diet': 'Vegan' } })
    expect(same.changed).toEqual([])
  })

  it('accepts the name of a choice in every language of the event', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await scenario.publish({ translations: { de: { '/customFields/diet/choices/none/name': 'Keine Wünsche' } } })
    const data = newAttendee({ '@participant.country': 'PT', '@custom.diet': 'keine wünsche' })
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    expect(await storedAnswers(participant.id)).toMatchObject({ custom: { diet: 'none' } })
  })

  it('accepts names of countries and choices in agent_submit_registration and update_my_registration', async () => {
    const email = newEmail()
    const data = {
      '@participant.firstName': 'Anna',
      '@participant.lastName': 'Kell',
      '@participant.country': 'Allemagne',
      '@custom.diet': 'Vegan',
    }
    const { participantId } = await (await scenario.signIn(email)).call('agent_submit_registration', { data })
    expect(await storedAnswers(participantId)).toMatchObject({ country: 'DE', custom: { diet: 'vegan' } })
    await (await scenario.signIn(email)).call('update_my_registration', { data: { '@custom.origin': 'portugal' } })
    expect(await storedAnswers(participantId)).toMatchObject({ custom: { origin: 'PT' } })
  })

  it('rejects names of no known country or choice, of a retired choice, and of choices that the question does not offer', async () => {
    const wrong = async (data: object) =>
      (await scenario.refused('add_participant', { flowSlug: 'attendee', data: newAttendee({ ...data }) })).fields
    const valid = { '@participant.country': 'PT', '@custom.diet': 'vegan' }
    expect(await wrong({ ...valid, '@participant.country': 'Narnia' })).toMatchObject([{ path: '@participant.country' }])
    expect(await wrong({ ...valid, '@custom.topics': 'Law, Sports' })).toMatchObject([{ path: '@custom.topics' }])
    for (const diet of ['Omnivore', 'Kosher', 'Halal'])
      expect(await wrong({ ...valid, '@custom.diet': diet })).toMatchObject([{ path: '@custom.diet' }])
  })

  it('finds participants by the name of a choice or country', async () => {
    const data = newAttendee({ '@participant.country': 'PT', '@custom.diet': 'vegan', '@custom.topics': ['art'], '@custom.origin': 'FI' })
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    for (const filter of [
      { code: 'topics', value: 'Art' },
      { code: 'origin', value: 'Finland' },
      { code: 'origin', value: 'fi' },
    ]) {
      const { participants } = await scenario.call('find_participants', { custom: [filter] })
      expect([filter, participants.map(({ id }: { id: string }) => id)]).toEqual([filter, [participant.id]])
    }
  })
})
