import { describe, expect, it } from 'vitest'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()

async function registered(data: object = {}, more: object = {}) {
  const email = newEmail()
  const needed = { '@participant.country': 'FR', '@custom.diet': 'none' }
  const { participant } = await scenario.register({}, { data: { '@participant.email': email, ...needed, ...data }, ...more })
  const person = await scenario.signIn(email)
  const row = async () =>
    (await scenario.world.database.pool.query<any>('select * from participants where id = $1', [participant.id])).rows[0]
  return {
    ...person,
    id: participant.id as string,
    row,
    update: (sent: object, rest: object = {}) => person.call('update_my_registration', { data: sent, ...rest }),
  }
}
const begun = (data: object = {}) => registered(data, { status: 'incomplete' })
const count = (from: string) => scenario.queryNumber(`select count(*)::int as figure from ${from}`)

describe('update_my_registration', () => {
  it('changes answers of a registration and returns them, with one audit entry and no email', async () => {
    const person = await registered({ '@participant.company': 'ACME', '@participant.jobTitle': 'Analyst' })
    const before = [await count('messages'), await count('orders'), await count('audit_entries')]
    const revision = (await person.row()).revision
    const result = await person.update({ '@participant.company': ' Other Ltd ', '@custom.topics': ['ai'], '@custom.diet': 'vegan' })
    expect(result).toEqual({
      status: 'updated',
      changed: ['@participant.company', '@custom.topics', '@custom.diet'],
      errors: [],
      missing: [],
      revision: revision + 1,
    })
    expect(await person.row()).toMatchObject({
      company: 'Other Ltd',
      custom_field_responses: { diet: 'vegan', topics: ['ai'] },
      revision: revision + 1,
    })
    expect([await count('messages'), await count('orders'), await count('audit_entries')]).toEqual([before[0], before[1], before[2]! + 1])
  })

  it('returns the status unchanged and writes nothing if the answers are the same', async () => {
    const person = await registered()
    const data = { '@participant.mobilePhone': '01 42 68 53 00', '@custom.arrival': '2026-09-01' }
    expect((await person.update(data)).status).toBe('updated')
    const [row, audits] = [await person.row(), await count('audit_entries')]
    expect(await person.update(data)).toEqual({ status: 'unchanged', changed: [], errors: [], missing: [], revision: row.revision })
    expect(await person.row()).toEqual(row)
    expect(await count('audit_entries')).toBe(audits)
  })

  it('saves none of three answers if one is invalid', async () => {
    const person = await registered()
    const row = await person.row()
    const result = await person.update({ '@participant.company': 'ACME', '@custom.years': 61, '@participant.jobTitle': 'Chief' })
    expect(result).toEqual({
      status: 'validation_failed',
      changed: [],
      errors: [{ binding: '@custom.years', code: 'invalid', message: 'Enter at most 60.' }],
      missing: [],
      revision: row.revision,
    })
    expect(await person.row()).toEqual(row)
  })

  it('clears answers to questions that a condition now hides, and lists them', async () => {
    const person = await registered({ '@participant.company': 'ACME', '@participant.jobTitle': 'Analyst' })
    expect(await person.update({ '@participant.company': null })).toMatchObject({
      status: 'updated',
      changed: ['@participant.company', '@participant.jobTitle'],
    })
    expect(await person.row()).toMatchObject({ company: null, job_title: null })
  })

  it('lists questions that become required because of a new answer', async () => {
    const person = await registered()
    expect(await person.update({ '@participant.company': 'ACME' })).toMatchObject({
      status: 'updated',
      missing: [{ binding: '@participant.jobTitle', label: 'Job title' }],
    })
    // Both answers in one call: the job title is asked once the company is answered.
    const other = await registered()
    expect(await other.update({ '@participant.jobTitle': 'Chief', '@participant.company': 'ACME' })).toMatchObject({
      status: 'updated',
      missing: [],
    })
  })

  it('rejects clearing required answers of a complete registration, but not of an unfinished one', async () => {
    const person = await registered()
    expect((await person.update({ '@custom.diet': null })).errors).toEqual([
      { binding: '@custom.diet', code: 'required', message: 'Diet is required' },
    ])
    const other = await begun()
    expect(await other.update({ '@custom.diet': null })).toMatchObject({
      status: 'updated',
      missing: [{ binding: '@custom.diet', label: 'What do you eat?' }],
    })
    expect((await other.update({ '@participant.lastName': ' ' })).errors).toMatchObject([{ code: 'required' }])
  })

  it('rejects changes of email, names, products, policies and rooms', async () => {
    const person = await registered()
    const { errors } = await person.update({
      '@participant.email': 'new@example.org',
      '@participant.firstName': 'Berta',
      '@product.pass': 1,
      '@policy.terms': true,
      '@housing.checkIn': '2026-09-01',
      '@participant.headshot': 'a'.repeat(24),
      '@participant.dietary': 'none',
      '@custom.hotline': '+33142685300',
      '@custom.rating': 'best',
      '@participant.employer': 'ACME',
    })
    expect(errors.map(({ binding, code, message }: any) => [binding, code, message])).toEqual([
      ['@participant.email', 'not_here', 'sign in with the new address'],
      ['@participant.firstName', 'not_here', 'a name change is a substitution, the organizer makes it'],
      ['@participant.headshot', 'not_here', 'uploaded by the person in the browser'],
      ['@product.pass', 'not_here', 'chosen by the person in the browser'],
      ['@policy.terms', 'not_here', 'chosen by the person in the browser'],
      ['@housing.checkIn', 'not_here', 'chosen by the person in the browser'],
      ['@custom.rating', 'unknown', 'is not a field of this event'],
      ['@participant.employer', 'unknown', 'is not a field of this event — did you mean @participant.company?'],
      ['@participant.dietary', 'not_here', 'is not shown to this participant in the flow attendee'],
      ['@custom.hotline', 'not_here', 'is not shown to this participant in the flow attendee'],
    ])
    const other = await begun()
    expect(await other.update({ '@participant.firstName': 'Berta' })).toMatchObject({
      status: 'updated',
      changed: ['@participant.firstName'],
    })
  })

  it('rejects a name that is already registered with the mailbox', async () => {
    const person = await begun()
    const { first_name, last_name } = await person.row()
    await (
      await scenario.signIn(person.email)
    ).call('agent_submit_registration', {
      data: { '@participant.firstName': 'Zoë', '@participant.lastName': last_name },
    })
    expect((await person.refused('update_my_registration', { data: { '@participant.firstName': 'ZOE' } })).text).toBe(
      'Another registration has this name and email address.',
    )
    expect((await person.row()).first_name).toBe(first_name)
  })

  it('accepts a retired choice that was chosen before', async () => {
    const person = await registered()
    await scenario.world.database.pool.query(`update participants set custom_field_responses = '{"diet": "kosher"}' where id = $1`, [
      person.id,
    ])
    expect((await person.update({ '@participant.company': 'ACME', '@participant.jobTitle': 'x' })).status).toBe('updated')
    expect((await person.row()).custom_field_responses).toEqual({ diet: 'kosher' })
  })

  it('rejects an outdated revision, and saves no answers in a dry run', async () => {
    const person = await registered()
    const row = await person.row()
    const data = { '@participant.city': 'Lyon' }
    const dry = await person.update(data, { dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, status: 'updated', changed: ['@participant.city'], revision: row.revision + 1 })
    expect(dry).not.toHaveProperty('confirmToken')
    expect(await person.row()).toEqual(row)
    expect((await person.update(data, { ifRevision: row.revision })).status).toBe('updated')
    expect(
      await person.refused('update_my_registration', { data: { '@participant.city': 'Nice' }, ifRevision: row.revision }),
    ).toMatchObject({
      code: 'conflict',
    })
    expect((await person.row()).city).toBe('Lyon')
  })

  it('saves both of two concurrent changes to one registration', async () => {
    const person = await registered()
    await Promise.all([person.update({ '@participant.city': 'Lyon' }), person.update({ '@participant.address1': 'Rue 1' })])
    expect(await person.row()).toMatchObject({ city: 'Lyon', address1: 'Rue 1' })
  })

  it('rejects changes after the deadline, to a cancelled registration, and at an event that has ended', async () => {
    const person = await registered()
    const refused = async () => person.refused('update_my_registration', { data: { '@participant.city': 'Lyon' } })
    await scenario.publish({ flows: [{ slug: 'attendee', editUntil: '2026-04-10T10:00:00.001Z' }] })
    expect((await person.update({ '@participant.city': 'Paris' })).status).toBe('updated')
    await scenario.publish({ flows: [{ slug: 'attendee', editUntil: '2026-04-10T10:00:00.000Z' }] })
    expect(await refused()).toMatchObject({
      code: 'precondition_failed',
      message: 'Answers could be changed until 2026-04-10T10:00:00.000Z',
    })
    await scenario.publish({ flows: [{ slug: 'attendee', editUntil: null }] })
    await scenario.call('edit_participant', { participantId: person.id, status: 'cancelled' })
    expect(await refused()).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('is cancelled') })
    await scenario.world.database.pool.query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    expect((await refused()).text).toBe('This event has ended')
  })
})
