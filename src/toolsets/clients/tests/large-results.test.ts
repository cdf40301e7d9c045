import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_RESULT_BYTES } from '../../../kernel/bytes.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
const answer = (tool: string, args: object = {}) => scenario.olga.answer(tool, { eventCode: scenario.event.eventCode, ...args })
const bytesOf = ({ content }: { content: { text?: string }[] }) => Buffer.byteLength(content[0]!.text!)
const MAX_BYTES = DEFAULT_MAX_RESULT_BYTES

const codeOf = (n: number) => `product-with-a-rather-long-code-that-people-do-write-${String(n).padStart(5, '0')}`
const products = Array.from({ length: 1100 }, (_, n) => ({
  code: codeOf(n),
  name: `Product ${n}`,
  category: 'meal',
  description: '<p onclick="x()">Dinner</p>',
  prices: [{ amount: '1.00' }],
}))
const configure = () => answer('configure_event', { sections: { products } })

describe('tool results that list 1,100 items with long codes', () => {
  it('limits the result of configure_event to 25 KB, half of it for warnings, and notes what it omits', async () => {
    const configured = await configure()
    const { added, warnings, draftRevision } = configured.structuredContent
    expect(draftRevision).toBe(2)
    expect(bytesOf(configured)).toBeLessThan(MAX_BYTES)
    expect(Math.min(added.length, warnings.length)).toBeGreaterThan(60)
    expect(warnings.at(-1)).toMatch(new RegExp(`^Shows ${warnings.length - 1} of 1100 warnings, ${added.length} of 1100 added: `))
  })

  it('limits the result of copy_event_config to 25 KB, and notes what it omits', async () => {
    await configure()
    const target = await scenario.world.event({ status: 'draft', at: scenario.event })
    const copied = await scenario.olga.answer('copy_event_config', {
      eventCode: target.eventCode,
      fromEventCode: scenario.event.eventCode,
      sections: ['products'],
    })
    expect(bytesOf(copied)).toBeLessThan(MAX_BYTES)
    const { copied: paths, warnings } = copied.structuredContent
    expect(paths.length).toBeGreaterThan(200)
    expect(warnings.at(-1)).toMatch(new RegExp(`^Shows ${paths.length} of 1100 copied: `))
    expect((await scenario.olga.call('list_event_config_items', { eventCode: target.eventCode, section: 'products' })).total).toBe(1100)
  })

  it('limits the result of list_event_config_items to 25 KB even if a flow references all items', async () => {
    await configure()
    const widgets = [0, 1, 2].map((n) => ({
      id: `w${n}`,
      type: 'products',
      products: products.slice(n * 370, (n + 1) * 370).map(({ code }) => code),
    }))
    await scenario.call('configure_event', {
      sections: { flows: [{ slug: 'all', name: 'All', pages: [{ code: 'p', title: 'P', widgets }] }] },
    })
    const listed = await answer('list_event_config_items', { section: 'flows' })
    expect(bytesOf(listed)).toBeLessThan(MAX_BYTES)
    const { items, truncated, note } = listed.structuredContent
    expect([items[0].dependsOn.length, truncated]).toEqual([200, true])
    expect(note).toMatch(/^dependsOn shows 200 of the 1100 items that \/flows\/all needs/)
  })

  it('limits the result of clone_event to 25 KB even if every product requires a product that is missing', async () => {
    const operations = [
      {
        op: 'set',
        path: '/products',
        valueJson: JSON.stringify(products.map((one) => ({ ...one, requires: [`missing-${one.code}`.slice(0, 63)] }))),
      },
    ]
    await scenario.call('config_set', { operations })
    const cloned = await answer('clone_event', { newCode: `${scenario.event.eventCode}-next`, newName: 'Next', startsOn: '2028-05-09' })
    expect(bytesOf(cloned)).toBeLessThan(MAX_BYTES)
    const { warnings, copied } = cloned.structuredContent
    expect(copied.products).toBe(1100)
    expect(warnings.at(-1)).toMatch(/^Shows \d+ of 1\d\d\d warnings: validate_schema/)
  })
})
