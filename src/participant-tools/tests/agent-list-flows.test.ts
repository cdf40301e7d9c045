import { describe, expect, it } from 'vitest'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()

const flowsOf = async (email = newEmail()) => (await (await scenario.signIn(email)).call('agent_list_flows')).flows as any[]
const slugsOf = async (email?: string) => (await flowsOf(email)).map(({ slug }) => slug)
const fieldsOf = async (email?: string, at = 0) => (await flowsOf(email))[at].descriptor.descriptor.fields as any[]
const fieldOf = async (binding: string, email?: string) => (await fieldsOf(email)).find((field) => field.binding === binding)

describe('agent_list_flows', () => {
  it('lists the open flows in their configured sequence, including those for special tags', async () => {
    const flows = await flowsOf()
    expect(flows.map(({ slug, name, visibleForTags }) => ({ slug, name, visibleForTags }))).toEqual([
      { slug: 'attendee', name: 'Registration', visibleForTags: null },
      { slug: 'members', name: 'Members', visibleForTags: { type: 'all', required: ['member'] } },
      { slug: 'speakers', name: 'Speakers', visibleForTags: null },
      { slug: 'crew', name: 'Crew', visibleForTags: null },
    ])
    for (const flow of flows) expect(Object.keys(flow)).toEqual(['slug', 'name', 'visibleForTags', 'descriptor'])
  })

  it('describes a flow completely: event, flow, fields, custom questions, time zone and first day', async () => {
    const [, , speakers] = await flowsOf()
    const standard = (name: string, label: string, type = 'text', required = true) => ({
      binding: `@participant.${name}`,
      flatKey: `participant_${name}`,
      entityPath: `participant.${name}`,
      label,
      type,
      source: 'standard',
      required,
    })
    expect(speakers.descriptor).toEqual({
      descriptor: {
        eventCode: scenario.event.eventCode,
        flowSlug: 'speakers',
        fields: [
          standard('firstName', 'First name'),
          standard('lastName', 'Last name'),
          standard('email', 'Email', 'email'),
          {
            binding: '@custom.talk',
            flatKey: 'custom_talk',
            entityPath: 'customFieldResponses.talk',
            label: 'Title of the talk',
            type: 'text',
            source: 'custom',
            required: false,
            customFieldCode: 'talk',
          },
        ],
      },
      customFields: [{ key: 'talk', name: 'Title of the talk', responseType: 'text', choices: [] }],
      timezone: 'Europe/Paris',
      eventStartOn: '2026-09-01',
    })
  })

  it('lists the questions about the person in page order, without products, policies, guests or rooms', async () => {
    const bindings = (await fieldsOf()).map(({ binding }) => binding)
    const own = ['firstName', 'lastName', 'email', 'company', 'jobTitle', 'address1', 'address2', 'city', 'region', 'postalCode', 'country']
    expect(bindings).toEqual([
      ...[...own, 'mobilePhone', 'language', 'headshot'].map((name) => `@participant.${name}`),
      ...['diet', 'topics', 'allergies', 'arrival', 'pass-copy', 'origin', 'years', 'first-time', 'hotline'].map(
        (code) => `@custom.${code}`,
      ),
    ])
  })

  it('describes questions about choices, countries and languages as type choice, and text questions as type text', async () => {
    const fields = await fieldsOf()
    const typeOf = (binding: string) => fields.find((field) => field.binding === binding).type
    expect(
      ['diet', 'topics', 'origin', 'allergies', 'arrival', 'pass-copy', 'years', 'first-time', 'hotline'].map((code) =>
        typeOf(`@custom.${code}`),
      ),
    ).toEqual(['choice', 'choice', 'choice', 'text', 'date', 'file', 'number', 'boolean', 'phone'])
    expect(['country', 'language', 'company', 'email', 'mobilePhone', 'headshot'].map((name) => typeOf(`@participant.${name}`))).toEqual([
      'choice',
      'choice',
      'text',
      'email',
      'phone',
      'file',
    ])
  })

  it('lists the choices that the page widget offers, with its labels, and omits retired choices of custom questions', async () => {
    expect(await fieldOf('@custom.diet')).toEqual({
      binding: '@custom.diet',
      flatKey: 'custom_diet',
      entityPath: 'customFieldResponses.diet',
      label: 'What do you eat?',
      type: 'choice',
      source: 'custom',
      required: true,
      customFieldCode: 'diet',
      choices: [
        { code: 'vegan', name: 'Vegan' },
        { code: 'none', name: 'No wishes' },
      ],
    })
    expect((await fieldOf('@participant.company')).label).toBe('Employer')
    const [{ descriptor }] = await flowsOf()
    expect(descriptor.customFields[0]).toEqual({
      key: 'diet',
      name: 'Diet',
      responseType: 'choice',
      choices: [
        { code: 'none', name: 'No wishes' },
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
      ],
    })
    expect(descriptor.customFields.find(({ key }: any) => key === 'topics')).toMatchObject({ responseType: 'multiChoice' })
    // Questions that belong to other flows, or that no flow asks, are not listed.
    expect(descriptor.customFields.map(({ key }: any) => key)).not.toEqual(expect.arrayContaining(['talk']))
    expect(JSON.stringify(await flowsOf())).not.toMatch(/What we think of them|Fax/)
  })

  it('lists countries and languages as choices with their names', async () => {
    expect((await fieldOf('@participant.country')).choices).toEqual([
      { code: 'FR', name: 'France' },
      { code: 'DE', name: 'Germany' },
      { code: 'PT', name: 'Portugal' },
    ])
    const { choices } = await fieldOf('@custom.origin')
    expect(choices).toHaveLength(250)
    expect(choices).toContainEqual({ code: 'CI', name: 'Côte d’Ivoire' })
    expect((await fieldOf('@participant.language')).choices).toEqual([{ code: 'en', name: 'English' }])
    await scenario.call('update_event', { locales: ['en', 'fr', 'pt-BR'] })
    expect((await fieldOf('@participant.language')).choices).toEqual([
      { code: 'en', name: 'English' },
      { code: 'fr', name: 'French' },
      { code: 'pt-BR', name: 'Brazilian Portuguese' },
    ])
  })

  it("marks a question as required only if it has no condition and is asked for the person's tags", async () => {
    const email = newEmail()
    const required = async () => (await fieldsOf(email)).filter((field) => field.required).map(({ binding }) => binding)
    const always = ['@participant.firstName', '@participant.lastName', '@participant.email', '@participant.country', '@custom.diet']
    expect(await required()).toEqual(always)
    await scenario.call('add_invite_list_participants', { flowSlug: 'attendee', rows: [{ email, tags: ['vip'] }] })
    expect(await required()).toEqual([...always, '@custom.hotline'])
  })

  it('lists an invite-only flow only to people on its invite list, regardless of how the address is written', async () => {
    const email = newEmail()
    await scenario.call('add_invite_list_participants', { flowSlug: 'press', rows: [{ email: email.toUpperCase() }] })
    expect(await slugsOf(email)).toEqual(['attendee', 'members', 'press', 'speakers', 'crew'])
    expect(await slugsOf()).not.toContain('press')
    await scenario.world.database.pool.query(`update invite_list_entries set status = 'removed' where email_norm = $1`, [email])
    expect(await slugsOf(email)).not.toContain('press')
  })

  it('opens and closes flows by the clock of the database', async () => {
    await scenario.world.clock.stopAt('2026-03-31T21:59:59Z')
    expect(await slugsOf()).toContain('early')
    await scenario.world.clock.stopAt('2026-03-31T22:00:00Z')
    expect(await slugsOf()).not.toContain('early')
    await scenario.world.clock.stopAt('2026-07-31T23:59:59Z')
    expect(await slugsOf()).not.toContain('late')
    await scenario.world.clock.stopAt('2026-08-01T00:00:00Z')
    expect(await slugsOf()).toContain('late')
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('describes the flows of the published version, and of the draft in test mode, without flows that fail validation', async () => {
    const operations = [
      { op: 'set', path: '/flows/speakers/name', valueJson: '"Voices"' },
      { op: 'set', path: '/flows/speakers/pages/you/widgets/talk/binding', valueJson: '"@custom.gone"' },
    ]
    expect((await scenario.callConfirmed('config_set', { operations })).introduced).not.toEqual([])
    expect((await flowsOf())[2]).toMatchObject({ name: 'Speakers', descriptor: { timezone: 'Europe/Paris' } })
    await scenario.call('update_event', { testMode: true })
    expect((await flowsOf())[2]).toEqual({ slug: 'speakers', name: 'Voices', visibleForTags: null, descriptor: null })
    expect((await flowsOf())[0].descriptor).not.toBeNull()
    await scenario.call('update_event', { testMode: false })
  })

  it('lists flows of an event that has ended, and requires a sign-in session', async () => {
    const person = await scenario.signIn(newEmail())
    expect((await person.with({ session: null }).refused('agent_list_flows')).text).toBe(
      'Missing X-Participant-Session header — call agent_verify_otp first',
    )
    expect((await person.with({ session: `${person.session}x` }).refused('agent_list_flows')).text).toBe(
      'Invalid or expired participant session\nFix: call agent_request_otp, then agent_verify_otp with the code that the person reads to you, and use the new session.',
    )
    expect((await person.refused('agent_list_flows', { flowSlug: 'attendee' })).code).toBe('invalid_arguments')
    await scenario.world.database.pool.query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    expect((await person.call('agent_list_flows')).flows).toHaveLength(4)
  })
})
