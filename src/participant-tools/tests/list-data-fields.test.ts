import { describe, expect, it } from 'vitest'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory()

const list = async (args: object = {}) => (await scenario.signIn(newEmail())).call('list_data_fields', args as never)
const bindingsOf = async (args: object = {}) => ((await list(args)).fields as any[]).map(({ binding }) => binding)
const anna = { '@participant.firstName': 'Anna', '@participant.lastName': 'Keller' }

describe('list_data_fields', () => {
  it('lists all countries only once, and refers other country fields to that list', async () => {
    const { fields, note } = await list()
    const [country, origin] = ['@participant.country', '@custom.origin'].map((binding) =>
      fields.find((field: any) => field.binding === binding),
    )
    expect([country.type, country.choices.length, country.sameChoicesAs]).toEqual(['choice', 250, undefined])
    expect([origin.type, origin.choices, origin.sameChoicesAs]).toEqual(['choice', [], '@participant.country'])
    expect(note).toBeUndefined()
    const alone = (await list({ entity: 'custom', search: 'germany' })).fields
    expect(alone.map(({ binding, choices }: any) => [binding, choices.length])).toEqual([['@custom.origin', 250]])
  })

  it("lists the person's properties, then the custom questions that a flow asks, with allowed answers", async () => {
    const { fields, total } = await list()
    expect(total).toBe(fields.length)
    expect(fields.filter(({ source }: any) => source === 'standard')).toHaveLength(27)
    expect(fields.flatMap(({ customFieldCode = [] }: any) => customFieldCode)).toEqual([
      'diet',
      'topics',
      'arrival',
      'pass-copy',
      'origin',
      'years',
      'first-time',
      'hotline',
      'talk',
    ])
    expect(fields.find(({ binding }: any) => binding === '@custom.diet')).toEqual({
      binding: '@custom.diet',
      flatKey: 'custom_diet',
      entityPath: 'customFieldResponses.diet',
      label: 'Diet',
      type: 'choice',
      source: 'custom',
      required: false,
      customFieldCode: 'diet',
      choices: [
        { code: 'none', name: 'No wishes' },
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
      ],
      validation: {},
    })
    expect(fields.find(({ binding }: any) => binding === '@custom.years').validation).toEqual({ min: 0, max: 60 })
    expect(fields.find(({ binding }: any) => binding === '@participant.jobTitle').validation).toEqual({ maxLength: 160 })
    // Organizer-only details of fields are omitted, and so are accepted file types.
    expect(JSON.stringify(fields)).not.toMatch(/usedIn|"personal"|"sensitive"|retired|accept/)
  })

  it('omits retired, sensitive and unused questions from the list of data fields', async () => {
    const bindings = await bindingsOf()
    for (const code of ['fax', 'allergies', 'rating']) expect(bindings).not.toContain(`@custom.${code}`)
    expect(await bindingsOf({ flowSlug: 'attendee' })).not.toContain('@custom.allergies')
    expect(await list({ search: 'What we think' })).toEqual({ fields: [], total: 0 })
  })

  it('uses the sequence, labels and required flags of the questions in the given flow', async () => {
    const { fields } = await list({ flowSlug: 'attendee' })
    expect(fields.map(({ binding }: any) => binding).slice(0, 5)).toEqual([
      '@participant.firstName',
      '@participant.lastName',
      '@participant.email',
      '@participant.company',
      '@participant.jobTitle',
    ])
    expect(fields.find(({ binding }: any) => binding === '@custom.diet')).toMatchObject({
      label: 'What do you eat?',
      required: true,
      choices: [{ code: 'vegan' }, { code: 'none' }],
    })
    expect(await bindingsOf({ flowSlug: 'speakers' })).toContain('@custom.talk')
  })

  it('filters data fields by entity and by words, ignoring case and accents', async () => {
    expect(await bindingsOf({ entity: 'custom', flowSlug: 'speakers' })).toEqual(['@custom.talk'])
    expect(await bindingsOf({ search: 'PHONE mobile' })).toEqual(['@participant.mobilePhone'])
    expect(await bindingsOf({ search: 'végan' })).toEqual(['@custom.diet'])
    expect(await bindingsOf({ entity: 'housing' })).toEqual([])
  })

  it('lists housing fields if the event has housing', async () => {
    await scenario.publish({ housing: { enabled: true } })
    expect(await bindingsOf({ entity: 'housing' })).toEqual(
      [
        'hotelId',
        'roomTypeCode',
        'checkIn',
        'checkOut',
        'occupants',
        'shareWith',
        'bedType',
        'smoking',
        'requests',
        'loyaltyNumber',
        'waitlist',
      ].map((name) => `@housing.${name}`),
    )
    expect((await list({ entity: 'housing', search: 'check-in' })).fields).toEqual([
      {
        binding: '@housing.checkIn',
        flatKey: 'housing_checkIn',
        entityPath: 'housing.checkIn',
        label: 'Check-in',
        type: 'date',
        source: 'standard',
        required: false,
        validation: {},
      },
    ])
  })

  it.each(['attendee', 'speakers', 'crew'])(
    'lists for %s only fields that a submission accepts or rejects as not_here (answered in the browser)',
    async (flowSlug) => {
      const { fields } = await list({ flowSlug })
      const sample: Record<string, unknown> = {
        date: '2026-09-01',
        number: 3,
        boolean: true,
        phone: '+33142685300',
        email: 'x@example.org',
        url: 'https://example.org',
      }
      for (const { binding, type, choices } of fields as any[]) {
        const single = choices?.[0]?.code ?? sample[type] ?? 'Some text'
        const value = binding === '@custom.topics' ? [single] : single
        const result = await (
          await scenario.signIn(newEmail())
        ).call('agent_submit_registration', { flowSlug, data: { ...anna, [binding]: value } })
        const codes = (result.errors ?? []).map(({ code }: any) => code)
        expect([binding, codes]).toEqual([binding, result.status === 'new' ? [] : ['not_here']])
      }
      // Control: a field that is not listed is unknown.
      const { errors } = await (
        await scenario.signIn(newEmail())
      ).call('agent_submit_registration', { flowSlug, data: { ...anna, '@custom.rating': 'x' } })
      expect(errors).toMatchObject([{ code: 'unknown' }])
    },
  )

  it('rejects a flow that is not open and an unknown entity', async () => {
    const person = await scenario.signIn(newEmail())
    expect((await person.refused('list_data_fields', { flowSlug: 'press' })).message).toBe('Flow press is not open to this person')
    expect((await person.refused('list_data_fields', { entity: 'product' })).code).toBe('invalid_arguments')
    expect((await person.with({ session: null }).refused('list_data_fields')).text).toBe(
      'Missing X-Participant-Session header — call agent_verify_otp first',
    )
  })
})
