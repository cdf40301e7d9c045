import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_RESULT_BYTES } from '../../../kernel/bytes.ts'
import { CONTACT_EMAIL_EDIT, useDraftScenario, type DraftConfigEdit } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
const { set } = scenario
const answer = (tool: string, args: object = {}) => scenario.olga.answer(tool, { eventCode: scenario.event.eventCode, ...args })
const MAX_BYTES = DEFAULT_MAX_RESULT_BYTES
/** The caller asks for the schema, so it comes on top. */
const SCHEMA_BYTES = 35_000
const bytesOf = ({ content }: { content: { text?: string }[] }) => Buffer.byteLength(content[0]!.text!)

const products = (amount: string, tag: string): DraftConfigEdit => ({
  op: 'set',
  path: '/products',
  value: Array.from({ length: 1100 }, (_, n) => ({
    code: `product-${n}`,
    name: `Product ${n}`,
    category: 'meal',
    capacity: Number(amount),
    prices: [{ amount: `${amount}.00` }, { amount: '1.00', tags: [tag] }],
  })),
})
const tag: DraftConfigEdit = { op: 'insert', path: '/tags/member', value: { name: 'Member' } }
const rename = [{ op: 'rename', path: '/tags/member', to: 'patron' }]

describe('draft with 1,100 products', () => {
  it('publishes a draft with 1,100 changed prices and capacities, and resets it', async () => {
    await set([CONTACT_EMAIL_EDIT, tag, products('10', 'member')])
    expect((await scenario.call('publish_event')).version).toBe(1)
    await set([products('12', 'member')])
    const published = await answer('publish_event')
    const { version, changes, effects, truncated, note } = published.structuredContent
    expect({ version, changes, truncated }).toEqual({ version: 2, changes: 2200, truncated: true })
    const shown = [effects.capacitiesChanged.length, effects.pricesChanged.length]
    expect(note).toContain(`${shown[1]} of 1100 pricesChanged: diff_versions`)
    expect(Math.min(...shown)).toBeGreaterThan(200)
    expect(bytesOf(published)).toBeLessThan(MAX_BYTES)

    const preview = await scenario.call('reset_to_version', { version: 1, dryRun: true })
    expect(preview).toMatchObject({ changes: { total: 2200 }, truncated: true })
    expect(preview.changed.length).toBeGreaterThan(300)
    expect((await scenario.call('reset_to_version', { version: 1, confirmToken: preview.confirmToken })).draftRevision).toBe(4)
  })

  it('renames a tag in 1,100 products as predicted by the dry run', async () => {
    await set([CONTACT_EMAIL_EDIT, tag, products('10', 'member')])
    const preview = await set(rename, { dryRun: true })
    expect(preview).toMatchObject({ renamedReferences: 1100, truncated: true, note: expect.stringMatching(/^Shows \d+ of 1101 changed/) })
    const renamed = await set(rename)
    expect(renamed).toMatchObject({ renamedReferences: 1100, draftRevision: 3 })
    expect(renamed.changed).toEqual(preview.changed)
    expect((await scenario.call('config_find', { references: '/tags/patron' })).total).toBe(1100)
  })
})

describe('validate_schema with the configuration schema in its result', () => {
  it('limits the number of issues in the result of validate_schema, and notes what it omits', async () => {
    const tours = Array.from({ length: 900 }, (_, n) => ({
      code: `t${n}`,
      name: 'Tour',
      category: 'tour',
      prices: [{ amount: '1.00' }],
      requires: [`no-such-${n}`],
    }))
    await set([{ op: 'set', path: '/products', value: tours }])
    const whole = await answer('validate_schema', { withSchema: true })
    expect(bytesOf(whole)).toBeLessThan(MAX_BYTES + SCHEMA_BYTES)
    expect(whole.structuredContent.schema.properties.products).toBeDefined()
    expect(whole.structuredContent).toMatchObject({
      truncated: true,
      note: expect.stringMatching(/^Shown up to issue \d+ of 901: pass nextCursor.*too large to show completely/),
    })
    expect((await answer('validate_schema', { withSchema: true, path: '/tags' })).structuredContent).not.toHaveProperty('note')
    const flows = await answer('validate_schema', { withSchema: true, path: '/flows' })
    expect(flows.structuredContent.schema.items.properties.pages.items.properties.widgets.items.oneOf.length).toBeGreaterThan(20)
    expect(bytesOf(flows)).toBeLessThan(MAX_BYTES + SCHEMA_BYTES)
  })
})
