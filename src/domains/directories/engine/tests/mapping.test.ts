import { describe, expect, it } from 'vitest'
import { findFieldMappingErrors, mapDirectoryRecord, type MappingTarget } from '../mapping.ts'
import type { DirectoryFieldMapping, DirectoryTagRule } from '../spec.ts'

const bind = (from: string, to: string, transform?: string, mode: DirectoryFieldMapping['mode'] = 'prefill'): DirectoryFieldMapping => ({
  from,
  to,
  ...(transform ? { transform } : {}),
  mode,
})

const RECORD = {
  FirstName: ' ANNA ',
  Email: 'anna@x.org',
  Country: 'Deutschland',
  Phone: '030 1234567',
  Joined: '01.02.2020',
  Level: { Name: 'Gold' },
  Groups: ['Board', 'Alumni'],
  Years: '12',
  Newsletter: 'no',
  Site: 'javascript:alert(1)',
  Status: 'Active',
  Note: 'a\u202Eb\u0000c',
  Empty: '',
}

const targets = new Map<string, MappingTarget>([
  ['@participant.firstName', { type: 'text' }],
  ['@participant.email', { type: 'email' }],
  ['@participant.country', { type: 'country' }],
  ['@participant.workPhone', { type: 'phone' }],
  ['@participant.website', { type: 'url' }],
  ['@participant.bio', { type: 'longText' }],
  ['@custom.joined', { type: 'date' }],
  ['@custom.level', { type: 'choice', choices: [{ code: 'gold', name: 'Gold' }, { code: 'basic' }] }],
  [
    '@custom.groups',
    {
      type: 'multiChoice',
      choices: [
        { code: 'b', name: 'board' },
        { code: 'a', name: 'Alumni' },
      ],
    },
  ],
  ['@custom.years', { type: 'number' }],
  ['@custom.news', { type: 'boolean' }],
  ['@custom.photo', { type: 'file' }],
])

const map = (bindings: DirectoryFieldMapping[], tagRules: DirectoryTagRule[] = []) =>
  mapDirectoryRecord({ bindings, tagRules }, RECORD, { country: 'DE', targets })

describe('mapDirectoryRecord', () => {
  it('converts values of a directory record to the answer type of their field', () => {
    const { answers, modes, warnings } = map([
      bind('$.FirstName', '@participant.firstName', 'trim | title', 'lock'),
      bind('$.Email', '@participant.email', undefined, 'overwrite'),
      bind('$.Country', '@participant.country', 'country'),
      bind('$.Phone', '@participant.workPhone', 'phone'),
      bind('$.Note', '@participant.bio'),
      bind('$.Joined', '@custom.joined', 'date(DD.MM.YYYY)'),
      bind('$.Level.Name', '@custom.level'),
      bind('$.Groups[*]', '@custom.groups'),
      bind('$.Years', '@custom.years', 'number'),
      bind('$.Newsletter', '@custom.news'),
    ])
    expect(answers).toEqual({
      '@participant.firstName': 'Anna',
      '@participant.email': 'anna@x.org',
      '@participant.country': 'DE',
      '@participant.workPhone': '+49301234567',
      '@participant.bio': 'abc',
      '@custom.joined': '2020-02-01',
      '@custom.level': 'gold',
      '@custom.groups': ['b', 'a'],
      '@custom.years': 12,
      '@custom.news': false,
    })
    expect(modes).toMatchObject({ '@participant.firstName': 'lock', '@participant.email': 'overwrite', '@custom.years': 'prefill' })
    expect(warnings).toEqual([])
  })

  it('leaves out invalid values of a directory record and returns warnings that contain only the path', () => {
    const { answers, mapped, warnings } = map([
      bind('$.Site', '@participant.website'),
      bind('$.Joined', '@custom.joined'),
      bind('$.Status', '@custom.level'),
      bind('$.Groups[*]', '@custom.photo'),
      bind('$.Empty', '@participant.bio'),
      bind('$.Missing', '@participant.firstName', 'trim'),
      bind('$.Level', '@participant.email'),
      bind('$.FirstName', '@custom.gone'),
    ])
    expect(answers).toEqual({})
    expect(mapped.map(({ to, present, valid }) => [to, present, valid])).toEqual([
      ['@participant.website', true, false],
      ['@custom.joined', true, false],
      ['@custom.level', true, false],
      ['@custom.photo', true, false],
      ['@participant.bio', false, true],
      ['@participant.firstName', false, true],
      ['@participant.email', true, false],
    ])
    expect(warnings).toEqual([
      '$.Site cannot be read as url for @participant.website',
      '$.Joined cannot be read as date for @custom.joined',
      '$.Status cannot be read as choice for @custom.level',
      '$.Groups[*] cannot be read as file for @custom.photo',
      '$.Level cannot be read as email for @participant.email',
      '@custom.gone is no longer a field of this event',
    ])
    expect(JSON.stringify(warnings)).not.toContain('javascript')
  })

  it.each([
    ['text', 300],
    ['longText', 5000],
    ['url', 2000],
    ['email', 254],
  ])('rejects a %s answer of more than %i characters instead of cutting it', (type, most) => {
    const made = (length: number) => {
      const [before, after] = type === 'url' ? ['https://x.org/', ''] : type === 'email' ? ['', '@x.org'] : ['', '']
      return before + 'y'.repeat(length - before.length - after.length) + after
    }
    const fits = (value: string) => {
      const { mapped, answers, warnings } = mapDirectoryRecord(
        { bindings: [bind('$.x', 'b')], tagRules: [] },
        { x: value },
        { targets: new Map([['b', { type }]]) },
      )
      return { valid: mapped[0]!.valid, kept: answers.b === value, warned: warnings.length }
    }
    expect(fits(made(most))).toEqual({ valid: true, kept: true, warned: 0 })
    expect(fits(made(most + 1))).toEqual({ valid: false, kept: false, warned: 1 })
    expect(fits(made(9000))).toEqual({ valid: false, kept: false, warned: 1 })
  })

  it.each<[DirectoryTagRule['when'], boolean]>([
    [{ from: '$.Status', op: 'equals', value: 'active' }, true],
    [{ from: '$.Status', op: 'equals', value: 'Lapsed' }, false],
    [{ from: '$.Status', op: 'notEquals', value: 'Lapsed' }, true],
    [{ from: '$.Status', op: 'in', value: ['Active', 'Grace'] }, true],
    [{ from: '$.Groups', op: 'contains', value: 'Board' }, true],
    [{ from: '$.Groups[*]', op: 'contains', value: 'Staff' }, false],
    [{ from: '$.Years', op: 'gt', value: 10 }, true],
    [{ from: '$.Years', op: 'lt', value: 10 }, false],
    [{ from: '$.Missing', op: 'isNotSet' }, true],
    [{ from: '$.Empty', op: 'isSet' }, false],
    [{ from: '$.Missing', op: 'notEquals', value: 'x' }, true],
  ])('sets a tag only if the directory record matches the rule %j', (when, holds) => {
    expect(map([], [{ when, tag: 'member', elseTag: 'guest' }]).tags).toEqual([holds ? 'member' : 'guest'])
    expect(
      map(
        [],
        [
          { when, tag: 'member' },
          { when, tag: 'member' },
        ],
      ).tags,
    ).toEqual(holds ? ['member'] : [])
  })
})

describe('findFieldMappingErrors', () => {
  const known = { bindings: [...targets.keys()], tags: ['member', 'guest'] }

  it('reports unknown field and tag names of a directory mapping with the nearest valid name', () => {
    const issues = findFieldMappingErrors(
      [bind('FirstName', '@participant.fistName', 'trimm'), bind('$.Email', '@participant.email'), bind('$.Mail', '@participant.email')],
      [
        { when: { from: '$..x', op: 'equals', value: 'A' }, tag: 'membr', elseTag: 'gost' },
        { when: { from: '$.x', op: 'in', value: 'A' }, tag: 'member' },
        { when: { from: '$.x', op: 'isSet' }, tag: 'member' },
      ],
      known,
    )
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'bindings/0/from: "FirstName" is not an expression: it must start with $, such as $.email',
      'bindings/0/to: unknown field @participant.fistName; did you mean @participant.firstName?',
      'bindings/0/transform: unknown transform trimm; did you mean trim?',
      'bindings/2/to: @participant.email is bound twice',
      expect.stringContaining('tagRules/0/when/from: "$..x" cannot be read'),
      'tagRules/0/tag: unknown tag membr; did you mean member?',
      'tagRules/0/elseTag: unknown tag gost; did you mean guest?',
      'tagRules/1/when/value: in needs a list of values',
    ])
  })
})
