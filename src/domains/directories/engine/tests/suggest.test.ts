import { describe, expect, it } from 'vitest'
import { DIRECTORY_PRESETS } from '../presets.ts'
import { suggestBindings } from '../suggest.ts'

const TEXTS =
  'prefix firstName lastName suffix preferredName pronouns jobTitle company department bio address1 address2 city region postalCode language'
const targets = [
  ...TEXTS.split(' ').map((name) => ({ binding: `@participant.${name}`, type: 'text' })),
  { binding: '@participant.email', type: 'email' },
  { binding: '@participant.workPhone', type: 'phone' },
  { binding: '@participant.mobilePhone', type: 'phone' },
  { binding: '@participant.country', type: 'country' },
  { binding: '@participant.website', type: 'url' },
  { binding: '@custom.memberSince', type: 'date' },
  { binding: '@custom.active', type: 'boolean' },
]
const text = (expression: string) => ({ expression, sampleType: 'text' })
const pairs = (...sources: { expression: string; sampleType: string }[]) =>
  suggestBindings(sources, targets).map(({ from, to }) => `${from} ${to}`)

describe('suggestBindings', () => {
  it('suggests bindings of directory fields only between similar names', () => {
    expect(pairs(text('$.FirstName'), text('$.Email'), text('$.MembershipLevel.Name'))).toEqual([
      '$.FirstName @participant.firstName',
      '$.Email @participant.email',
    ])
  })

  it.each([
    ['$.given_name', '@participant.firstName'],
    ['$.Nachname', '@participant.lastName'],
    ["$['[Email | Primary]']", '@participant.email'],
    ['$.emailaddress1', '@participant.email'],
    ['$.properties.zip', '@participant.postalCode'],
    ['$.Organization', '@participant.company'],
    ['$.MailingCountry', '@participant.country'],
    ['$.prénom', '@participant.firstName'],
  ])('suggests to map the directory field %s to %s', (expression, binding) => {
    expect(pairs(text(expression))).toEqual([`${expression} ${binding}`])
  })

  it.each(['$.Id', '$.Status', '$.lifecyclestage', '$', '$.x', 'not a path'])(
    'suggests no binding for the directory field %s',
    (expression) => {
      expect(pairs(text(expression))).toEqual([])
    },
  )

  it('uses each directory field and each target in only one suggested binding, best score first', () => {
    expect(pairs(text('$.Mail'), text('$.Email'), text('$.EmailAddress'))).toEqual(['$.Email @participant.email'])
  })

  it('suggests no binding between a directory field and a target of different types', () => {
    expect(pairs({ expression: '$.memberSince', sampleType: 'date' })).toEqual(['$.memberSince @custom.memberSince'])
    expect(pairs({ expression: '$.memberSince', sampleType: 'text' })).toEqual([])
    expect(pairs({ expression: '$.active', sampleType: 'boolean' })).toEqual(['$.active @custom.active'])
    expect(pairs({ expression: '$.email', sampleType: 'object' })).toEqual([])
  })

  it('suggests the first name and email bindings of every preset', () => {
    for (const { code, sources, bindings } of DIRECTORY_PRESETS) {
      const found = new Set(pairs(...sources))
      const names = bindings.filter(({ to }) => /firstName|email/.test(to)).map(({ from, to }) => `${from} ${to}`)
      if (code !== 'memberclicks') expect([code, names.filter((pair) => !found.has(pair))]).toEqual([code, []])
    }
  })
})
