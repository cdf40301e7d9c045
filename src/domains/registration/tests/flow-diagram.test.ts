import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { EventConfig } from '../../configuration/schema/event-config.ts'
import { buildFlowDiagram, describeVisibilityCondition } from '../flows/flow-diagram.ts'

type Document = z.input<typeof EventConfig>
type Page = NonNullable<Document['flows']>[number]['pages'][number]

const page = (code: string, more: Partial<Page> = {}): Page => ({ code, title: `Page ${code}`, widgets: [], ...more })
const isOther = { all: [{ binding: '@custom.diet', op: 'equals' as const, value: 'other' }] }

const configOf = (...pages: Page[]): EventConfig =>
  EventConfig.parse({
    details: { name: 'Summit', startsOn: '2027-05-11', endsOn: '2027-05-12' },
    tags: [
      { code: 'vip', name: 'VIP' },
      { code: 'press', name: 'Press' },
    ],
    customFields: [
      { code: 'diet', name: 'What do you eat?', responseType: 'choice', choices: [{ code: 'other', name: 'Something else' }] },
      { code: 'age', name: 'Age', responseType: 'number' },
      { code: 'first', name: 'First time', responseType: 'boolean' },
    ],
    products: [
      { code: 'pass', name: 'Pass', category: 'admission', prices: [{ amount: '10.00' }] },
      { code: 'old', name: 'Old', category: 'admission', prices: [{ amount: '10.00' }], retired: true },
    ],
    policies: [{ code: 'terms', title: 'Terms', body: '<p>Be kind</p>' }],
    flows: [{ slug: 'attendee', name: 'Registration', pages }],
  } satisfies Document)

const drawn = (...pages: Page[]) => {
  const config = configOf(...pages)
  return buildFlowDiagram(config, config.flows[0]!)
}

describe('buildFlowDiagram', () => {
  it('groups consecutive pages with the same visibility rule into one section of the flow diagram', () => {
    const stretches = drawn(
      page('a'),
      page('b', { showWhen: isOther }),
      page('c', { showWhen: isOther }),
      page('d', { visibleForTags: { type: 'any', required: ['vip'] } }),
      page('e'),
      page('f', { showWhen: isOther }),
    )
    expect(stretches.map(({ when, pages }) => [when, pages.map(({ code }) => code).join('')])).toEqual([
      [null, 'a'],
      ['What do you eat? Something else', 'bc'],
      ['VIP', 'd'],
      [null, 'e'],
      ['What do you eat? Something else', 'f'],
    ])
  })

  it('summarizes the questions and products of each page, and marks the final page', () => {
    const [only] = drawn(
      page('a', {
        widgets: [
          { id: 'name', type: 'name' },
          { id: 'diet', type: 'field', binding: '@custom.diet' },
          { id: 'hello', type: 'text', body: '<p>Hello</p>' },
          { id: 'terms', type: 'policy', policy: 'terms' },
        ],
      }),
      page('b', { title: null, widgets: [{ id: 'sale', type: 'products', category: 'admission' }] }),
      page('c', { widgets: [{ id: 'end', type: 'confirmation', body: '<p>Bye</p>' }] }),
    )
    expect(only?.pages).toEqual([
      { code: 'a', title: 'Page a', summary: '3 questions · agreement', isFinal: false },
      { code: 'b', title: 'b', summary: '1 product', isFinal: false },
      { code: 'c', title: 'Page c', summary: '', isFinal: true },
    ])
  })

  it.each([
    [{ all: [{ binding: '@custom.age', op: 'gt', value: 18 }] }, 'Age is more than 18'],
    [{ all: [{ binding: '@custom.age', op: 'isNotSet' }] }, 'Age is not given'],
    [{ all: [{ binding: '@custom.first', op: 'equals', value: true }] }, 'First time is yes'],
    [{ all: [{ binding: '@product.pass', op: 'gt', value: 0 }] }, 'Pass is chosen'],
    [{ all: [{ binding: '@product.pass', op: 'isNotSet' }] }, 'Pass is not chosen'],
    [{ all: [{ binding: '@product.pass', op: 'gt', value: 2 }] }, 'Pass is more than 2'],
    [{ all: [{ binding: '@policy.terms', op: 'equals', value: true }] }, 'Terms is agreed to'],
    [{ all: [{ binding: '@participant.tags', op: 'contains', value: 'press' }] }, 'Press'],
    [{ all: [{ binding: '@participant.country', op: 'in', value: ['DE', 'AT'] }] }, 'Country is one of DE, AT'],
    [
      {
        any: [
          {
            all: [
              { binding: '@custom.age', op: 'lt', value: 18 },
              { binding: '@custom.first', op: 'isSet' },
            ],
          },
          isOther.all[0],
        ],
      },
      '(Age is less than 18 and First time is given) or What do you eat? Something else',
    ],
  ] as const)('describes the visibility condition %j in words', (showWhen, words) => {
    expect(describeVisibilityCondition(configOf(page('a')), { showWhen: showWhen as never, visibleForTags: null })).toBe(words)
  })

  it('describes a visibility rule that requires all, any or none of some tags, combined with a condition', () => {
    const say = (type: 'all' | 'any' | 'none', showWhen = null as never) =>
      describeVisibilityCondition(configOf(page('a')), { showWhen, visibleForTags: { type, required: ['vip', 'press'] } })
    expect([say('all'), say('any'), say('none')]).toEqual(['VIP and Press', 'VIP or Press', 'not VIP or Press'])
    expect(say('all', isOther as never)).toBe('VIP and Press and What do you eat? Something else')
    expect(describeVisibilityCondition(configOf(page('a')), { showWhen: null, visibleForTags: null })).toBeNull()
  })
})
