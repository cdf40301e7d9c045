import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { compile } from '../../configuration/compiled-cache.ts'
import { buildSampleLead, buildTestLead } from '../sample-leads.ts'
import { listVisibleFieldNames, type ParticipantSharingColumns, applySharingChoices } from '../visibility.ts'

const TOPICS = [
  { code: 'ai', name: 'Artificial intelligence' },
  { code: 'b2b', name: 'B2B' },
]
const FIELDS = [
  { code: 'topics', name: 'Topics', responseType: 'multiChoice', choices: TOPICS },
  { code: 'size', name: 'Company size', responseType: 'choice', choices: [{ code: 's', name: 'Small' }] },
  { code: 'visits', name: 'Visits', responseType: 'number' },
  { code: 'first', name: 'First visit?', responseType: 'boolean' },
  { code: 'arrival', name: 'Arrival', responseType: 'date' },
  { code: 'note', name: 'Note', responseType: 'longText' },
  { code: 'paper', name: 'Paper', responseType: 'file' },
  { code: 'diet', name: 'Diet', responseType: 'text', sensitive: true },
] as const

const configWith = (leadVisibleFields: string[]) =>
  runTaskSynchronously(
    compile({
      details: { name: 'Show', startsOn: '2027-03-01', endsOn: '2027-03-03' },
      customFields: FIELDS,
      exhibitorConfig: { leadVisibleFields },
    } as never),
  ).config

const ANA: ParticipantSharingColumns = {
  first_name: 'Ana',
  last_name: 'Lima',
  email: 'a@x',
  job_title: 'CTO',
  company: null,
  bio: 'text',
  headshot: null,
  website: null,
  work_phone: null,
  mobile_phone: '+49 30 1',
  ai_avatar_file_id: null,
  avatar_choice: 'headshot',
  sharing: {},
  custom_field_responses: { diet: 'vegan', topics: ['ai', 'b2b'] },
}

const seen = (baseline: string[], person: Partial<ParticipantSharingColumns> = {}) =>
  applySharingChoices(configWith(baseline), { ...ANA, ...person }, 'en', (id) => `https://ev.example/files/${id}`)

describe('applySharingChoices', () => {
  it.each([
    [1, ['email'], {}, 'email', 'a@x'],
    [2, ['email'], { sharing: { email: 'restrict' } }, 'email', undefined],
    [3, [], {}, 'mobilePhone', undefined],
    [4, [], { sharing: { mobilePhone: 'share' } }, 'mobilePhone', '+49 30 1'],
    [5, ['jobTitle'], { sharing: { jobTitle: 'share' } }, 'jobTitle', 'CTO'],
    [6, ['jobTitle'], { job_title: '' }, 'jobTitle', undefined],
    [7, [], { sharing: { bio: 'restrict' } }, 'bio', undefined],
    [8, [], { sharing: { firstName: 'restrict' } }, 'firstName', 'Ana'],
  ] as const)("shows exhibitors the data in row %i of the specification's sharing table", (_row, baseline, person, field, value) => {
    expect(seen([...baseline], person as Partial<ParticipantSharingColumns>).fields[field]).toBe(value)
  })

  it("shows the chosen avatar if there is no headshot (row 9 of the specification's sharing table)", () => {
    const { fields, photoUrl } = seen(['headshot'], { avatar_choice: 'avatar', ai_avatar_file_id: 'avatar' })
    expect([fields.headshot, photoUrl]).toEqual([undefined, 'https://ev.example/files/avatar'])
  })

  it("shows no picture if the participant hides it (row 10 of the specification's sharing table)", () => {
    const pictures = { headshot: 'face', avatar_choice: 'avatar', ai_avatar_file_id: 'avatar' } as const
    const { fields, photoUrl } = seen(['headshot'], { ...pictures, sharing: { headshot: 'restrict' } })
    expect([fields.headshot, photoUrl]).toEqual([undefined, undefined])
    const shared = seen(['headshot'], pictures)
    expect([shared.fields.headshot, shared.photoUrl]).toEqual(['https://ev.example/files/face', 'https://ev.example/files/avatar'])
    expect(seen(['headshot'], { ...pictures, avatar_choice: 'headshot' }).photoUrl).toBe('https://ev.example/files/face')
    expect(seen(['headshot'], { headshot: 'face', avatar_choice: 'avatar' }).photoUrl).toBe('https://ev.example/files/face')
    expect(seen([], pictures).photoUrl).toBeUndefined()
  })

  it("never shows sensitive answers (row 11 of the specification's sharing table)", () => {
    expect(seen([]).customFields).toEqual([])
    expect(seen([], { sharing: { 'cf:diet': 'share' } }).customFields).toEqual([])
  })

  it("shows the names of chosen answers, not their codes (row 12 of the specification's sharing table)", () => {
    expect(seen([], { sharing: { 'cf:topics': 'share' } }).customFields).toEqual([
      { code: 'topics', label: 'Topics', value: 'Artificial intelligence, B2B' },
    ])
  })

  it("shows exhibitors a shared mobile phone but not a restricted email address, as in the specification's example", () => {
    const person = { sharing: { mobilePhone: 'share', email: 'restrict' } } as const
    expect(listVisibleFieldNames(seen(['email', 'jobTitle'], person))).toEqual(['firstName', 'lastName', 'jobTitle', 'mobilePhone'])
  })

  it('lists visible fields of a lead in field order, then custom questions in their order', () => {
    const answers = { note: 'Hello', first: false, visits: 0, arrival: '2027-03-02', size: 's', topics: [], paper: 'a'.repeat(24) }
    const { fields, customFields } = seen(
      ['cf:note', 'cf:size', 'cf:visits', 'cf:first', 'cf:arrival', 'cf:paper', 'cf:topics', 'bio', 'email'],
      {
        custom_field_responses: answers,
      },
    )
    expect(Object.keys(fields)).toEqual(['firstName', 'lastName', 'email', 'bio'])
    expect(customFields.map(({ code, value }) => [code, value])).toEqual([
      ['size', 'Small'],
      ['visits', '0'],
      ['first', 'No'],
      ['arrival', '2027-03-02'],
      ['note', 'Hello'],
    ])
  })

  it('omits answers of a lead to questions that no longer exist', () => {
    expect(seen(['cf:gone'], { custom_field_responses: { gone: 'x' } }).customFields).toEqual([])
  })
})

describe('sample leads', () => {
  const at = { now: new Date('2027-03-01T09:00:00.000Z'), firstDay: '2027-03-01', locale: 'en', baseUrl: 'https://ev.example' }
  const sample = (baseline: string[]) => JSON.stringify(buildSampleLead(configWith(baseline), at))

  it("builds the sample lead of the specification's example", () => {
    expect(sample(['firstName', 'lastName', 'email', 'jobTitle', 'cf:topics'])).toBe(
      '{"leadId":"000000000000000000000000","badgeId":"0","source":"sdk","captures":1,"firstCapturedAt":"2027-03-01T09:00:00.000Z","lastCapturedAt":"2027-03-01T09:00:00.000Z",' +
        '"fields":{"firstName":"Sample","lastName":"Attendee","email":"sample.attendee@example.com","jobTitle":"Head of Events"},' +
        '"customFields":[{"code":"topics","label":"Topics","value":"Artificial intelligence"}],"isTest":true}',
    )
  })

  it('gives sample leads a value for every field and question type except files and sensitive questions', () => {
    const lead = buildSampleLead(
      configWith(['company', 'bio', 'headshot', 'website', 'workPhone', 'mobilePhone', ...FIELDS.map(({ code }) => `cf:${code}`)]),
      at,
    )
    expect(lead.fields).toEqual({
      firstName: 'Sample',
      lastName: 'Attendee',
      company: 'Example Company',
      bio: 'This is a sample lead.',
      headshot: 'https://ev.example/assets/sample-headshot.png',
      website: 'https://example.com',
      workPhone: '+1 202 555 0100',
      mobilePhone: '+1 202 555 0101',
    })
    expect(lead.photoUrl).toBe('https://ev.example/assets/sample-headshot.png')
    expect(lead.customFields.map(({ code, value }) => [code, value])).toEqual([
      ['topics', 'Artificial intelligence'],
      ['size', 'Small'],
      ['visits', '42'],
      ['first', 'Yes'],
      ['arrival', '2027-03-01'],
      ['note', 'Sample answer'],
    ])
  })

  it("builds the lead of the built-in test event as in the specification's example", () => {
    expect(JSON.stringify(buildTestLead('7|x', at.now))).toBe(
      '{"leadId":"test-lead","badgeId":"7|x","source":"sdk","captures":1,"firstCapturedAt":"2027-03-01T09:00:00.000Z","lastCapturedAt":"2027-03-01T09:00:00.000Z",' +
        '"fields":{"firstName":"Test","lastName":"Attendee","email":"test.attendee@example.com","jobTitle":"Event Manager","company":"Example Company","website":"https://example.com","workPhone":"+1 202 555 0100","mobilePhone":"+1 202 555 0101"},"customFields":[],"testEvent":true}',
    )
  })
})
