import { describe, expect, it } from 'vitest'
import { getLookupTags, listParticipantTagSources, UNVERIFIED_MEMBERSHIP_TAG } from '../collected-answers.ts'
import { fillInTestParticipant } from '../test-participants.ts'
import { findAnswerErrorMessage, findQuestionRules } from '../answer-rules.ts'
import { choices, configOf, field, flowOf, NOW, when, ZONE } from './fixtures.ts'

const config = configOf({
  tags: ['member', 'gala', 'own'].map((code) => ({ code, name: code })),
  customFields: [
    { code: 'badge', name: 'Badge', responseType: 'text', pattern: '[A-Z]{3}-\\d{2,4}' },
    { code: 'story', name: 'Story', responseType: 'longText', min: 40 },
    { code: 'age', name: 'Age', responseType: 'number', integer: true, min: 18, max: 99 },
    { code: 'born', name: 'Born', responseType: 'date', max: '2008-01-01' },
    { code: 'likes', name: 'Likes', responseType: 'multiChoice', choices: choices('a', 'b', 'c'), minChoices: 2 },
    { code: 'kind', name: 'Kind', responseType: 'choice', choices: choices('x', 'y') },
    { code: 'cv', name: 'CV', responseType: 'file' },
    { code: 'shop', name: 'Shop', responseType: 'url' },
  ],
  products: [
    { code: 'day', name: 'Day', category: 'admission', prices: [{ amount: '100.50' }], perPerson: 2, excludes: ['online'] },
    { code: 'online', name: 'Online', category: 'other', prices: [{ amount: '30.00' }] },
    { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '40.00' }], requires: ['day'], addsTags: ['gala'] },
    { code: 'child', name: 'Child', category: 'guest', prices: [{ amount: '0.00' }] },
  ],
  policies: [{ code: 'terms', title: 'Terms', body: 'x' }],
  flows: [
    flowOf(
      [
        {
          code: 'you',
          widgets: [
            { id: 'name', type: 'name', parts: ['prefix', 'firstName', 'lastName', 'preferredName'] },
            ...['email', 'mobilePhone', 'company', 'bio', 'website', 'language', 'jobTitle'].map((name) =>
              field(`q-${name.toLowerCase()}`, `@participant.${name}`, { required: true }),
            ),
            { id: 'addr', type: 'address', requiredParts: ['address1', 'city', 'postalCode', 'country'], countries: ['AT', 'CH'] },
            { id: 'face', type: 'headshot', required: true },
            {
              id: 'look',
              type: 'membershipLookup',
              connection: 'crm',
              inputs: ['email'],
              required: true,
              onNotFound: 'block',
              memberTags: ['member'],
            },
            { id: 'terms', type: 'policy', policy: 'terms' },
          ],
        },
        {
          code: 'more',
          widgets: [
            ...['badge', 'story', 'age', 'born', 'likes', 'kind', 'cv', 'shop'].map((code) =>
              field(`c-${code}`, `@custom.${code}`, { required: true }),
            ),
            { ...field('why', '@participant.dietary', { required: true }), showWhen: when('@custom.kind', 'isSet') },
          ],
        },
        {
          code: 'order',
          widgets: [
            { id: 'dinner', type: 'products', products: ['dinner'], min: 1 },
            { id: 'day', type: 'products', products: ['day', 'online'], min: 2 },
            { id: 'guests', type: 'guests', min: 2 },
            { id: 'room', type: 'housing', required: true, hotels: ['h1'] },
            { id: 'talks', type: 'sessions', required: true },
            { id: 'group', type: 'group', mode: 'both' },
            { id: 'code', type: 'inviteCode' },
          ],
        },
      ],
      {
        addsTags: ['own'],
        guests: {
          enabled: true,
          types: [{ code: 'child', name: 'Child', productCode: 'child' }],
          fields: [{ binding: '@participant.email', required: true }],
        },
      },
    ),
  ],
})
const flow = config.flows[0]!
const known = { '@housing.roomTypeCode': 'double', '@session.': { '@session.abc': true } }
const person = (index: number, seed = 1, more = {}) =>
  fillInTestParticipant(config, flow, { seed, index, answers: {}, tags: [], known, ...more }, { timezone: ZONE, now: NOW })

describe('fillInTestParticipant', () => {
  it('fills in a valid answer of a test participant to every required question', () => {
    for (let index = 0; index < 30; index++) {
      const { answers, walk, unfilled, total } = person(index)
      expect([walk.missing, unfilled]).toEqual([[], []])
      expect(total).toBe('241.00')
      for (const [binding, value] of Object.entries(answers)) {
        const rules = findQuestionRules(config, binding)
        if (rules) expect([binding, value, findAnswerErrorMessage(rules, null, value)]).toEqual([binding, value, null])
      }
      expect(['AT', 'CH']).toContain(answers['@participant.country'])
    }
  })

  it('builds the same test participant again from the same seed and index', () => {
    expect(person(3).answers).toEqual(person(3).answers)
    expect(person(3).answers).not.toEqual(person(4).answers)
    expect(person(3, 1).answers['@participant.email']).toBe('person-1-3@rehearsal.invalid')
    expect(person(3, 2).answers['@participant.email']).toBe('person-2-3@rehearsal.invalid')
  })

  it('keeps the given answers of a test participant and lists the questions without a valid answer', () => {
    const { answers } = person(0, 1, { answers: { '@custom.kind': 'y', '@participant.city': 'Graz' } })
    expect(answers).toMatchObject({ '@custom.kind': 'y', '@participant.city': 'Graz' })
    expect(person(0, 1, { known: {} }).unfilled).toEqual(['@housing.roomTypeCode', '@session.'])
  })
})

describe('listParticipantTagSources', () => {
  it('lists every way in which the flow gives tags', () => {
    expect(listParticipantTagSources(config, flow, { crm: { tags: ['gala'] } })).toEqual([
      { tag: 'own', from: 'flow' },
      { tag: 'member', from: 'lookup', page: 'you', widget: 'look' },
      { tag: 'gala', from: 'lookup', page: 'you', widget: 'look' },
      { tag: UNVERIFIED_MEMBERSHIP_TAG, from: 'lookup', page: 'you', widget: 'look' },
      { tag: 'gala', from: 'product', page: 'order', widget: 'dinner', product: 'dinner' },
    ])
    expect(getLookupTags(['member'], { onFailure: 'block' }, 'error')).toEqual([])
  })
})
