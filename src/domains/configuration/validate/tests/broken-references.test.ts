import { describe, expect, it, vi } from 'vitest'
import type { ConfigIssue } from '../../issues.ts'
import { EventConfig } from '../../schema/event-config.ts'
import { toStoredDocument } from '../../stored.ts'
import { runTaskSynchronously } from '../../../../kernel/cooperative.ts'
import { findBrokenReferencesInParts } from '../broken-references.ts'

const namedIn = (document: object): ConfigIssue[] => measured(document).issues

/** Finds broken references, and counts the names compared for suggestions, which take most of the time. */
function measured(document: object): { issues: ConfigIssue[]; compared: number } {
  const stored = toStoredDocument({ details: { name: 'Annual', startsOn: '2027-05-11', endsOn: '2027-05-12' }, ...document })
  const config = EventConfig.parse(stored)
  const folded = vi.spyOn(String.prototype, 'toLowerCase')
  try {
    return {
      issues: runTaskSynchronously(findBrokenReferencesInParts(stored, config, { connections: new Map(), files: new Map() })),
      compared: folded.mock.calls.length,
    }
  } finally {
    folded.mockRestore()
  }
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const price = (tag: string) => ({ amount: '10.00', tags: [tag] })
const asking = (widgets: object[]) => [{ slug: 'f', name: 'F', pages: [{ code: 'a', widgets }] }]

describe('findBrokenReferencesInParts', () => {
  it('searches only once for a suggestion if many products refer to the same missing code', () => {
    const tags = ['member', 'vip'].map((code) => ({ code, name: code }))
    const prices = [price('membr'), price('vp')]
    const inProducts = (count: number) =>
      measured({ tags, products: times(count, (n) => ({ code: `p${n}`, name: 'P', category: 'meal', prices })) })
    const [few, many] = [inProducts(1), inProducts(300)]
    expect(many.issues).toHaveLength(600)
    expect(many.issues.slice(0, 2).map(({ hint }) => hint)).toEqual(['member', 'vip'])
    expect(few.compared).toBeGreaterThan(0)
    expect(many.compared).toBe(few.compared)
  })

  it('searches only once for a suggestion per missing data field or merge field', () => {
    const inFlows = (count: number) =>
      measured({
        flows: asking(times(count, (n) => ({ id: `w${n}`, type: 'field', binding: '@participant.emial' }))),
        emails: times(count, (n) => ({ code: `e${n}`, name: 'E', trigger: 'none', subject: '{{participant.frstName}}' })),
      })
    const [few, many] = [inFlows(1), inFlows(50)]
    expect(new Set(many.issues.map(({ code, hint }) => `${code} ${hint}`))).toEqual(
      new Set(['unknownBinding @participant.email', 'unknownToken participant.firstName']),
    )
    expect(many.compared).toBe(few.compared)
  })

  it('searches again for a suggestion if a missing code of the same name belongs to another list', () => {
    const field = (code: string, choice: string) => ({
      code,
      name: code,
      responseType: 'choice',
      choices: [{ code: choice, name: choice }],
    })
    const widget = (id: string) => ({ id, type: 'field', binding: `@custom.${id}`, choices: ['vegn'] })
    const issues = namedIn({
      customFields: [field('diet', 'vegan'), field('shoes', 'vegas')],
      flows: asking([widget('diet'), widget('shoes'), widget('gone')]),
    })
    expect(issues.filter(({ code }) => code === 'missing').map(({ path, hint }) => [path.split('/')[6], hint])).toEqual([
      ['diet', 'vegan'],
      ['shoes', 'vegas'],
      ['gone', undefined],
    ])
  })
})
