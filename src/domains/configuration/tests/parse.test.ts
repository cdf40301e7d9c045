import { describe, expect, it } from 'vitest'
import { buildLargeDocument } from '../../../../bench/support/large-document.ts'
import { CONGRESS } from '../../../../test/support/congress.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { parseInParts } from '../parse.ts'
import { EventConfig } from '../schema/event-config.ts'
import { ROOT_NODE } from '../schema/nodes.ts'
import { validateDocumentStructure } from '../structure.ts'

type Json = any

const large = JSON.stringify(buildLargeDocument())
const fresh = (): Json => JSON.parse(large)
const formatIssues = (issues: readonly { code: string; path: readonly PropertyKey[]; message: string }[]) =>
  issues.map(({ code, path, message }) => `${path.join('/')} ${code} ${code === 'unrecognized_keys' ? '' : message}`).sort()

function bothOf(document: unknown) {
  const whole = EventConfig.safeParse(document)
  const parts = runTaskSynchronously(parseInParts(ROOT_NODE, document))
  return {
    whole: whole.success ? whole.data : formatIssues(whole.error.issues as never),
    parts: parts.ok ? parts.value : formatIssues(parts.issues),
  }
}

/** Edits that cause different structural errors, in large and in small parts of a document. */
const WRONG: [string, (document: Json) => void][] = [
  ['a missing section', (d) => delete d.details],
  ['an unknown section', (d) => (d.nothing = 1)],
  ['unknown keys of a flow and of a product', (d) => void ((d.flows[3].x = 1), (d.products[7].y = { z: 1 }))],
  ['a list that is none', (d) => (d.products = { a: 1 })],
  ['an object that is a list', (d) => (d.details = [])],
  ['a null for a section', (d) => (d.flows = null)],
  ['a code twice', (d) => (d.products[999].code = d.products[0].code)],
  ['too many items', (d) => void d.tags.push(...Array.from({ length: 300 }, (_, i) => ({ code: `more-${i}`, name: 'x' })))],
  ['too many widgets', (d) => void d.flows[0].pages[0].widgets.push({ id: 'one-more', type: 'divider' })],
  ['a widget of no type', (d) => (d.flows[1].pages[2].widgets[0].type = 'nothing')],
  ['a page without a code', (d) => delete d.flows[29].pages[7].code],
  ['a rule between two fields of a flow', (d) => (d.flows[5].closesAt = '2026-01-01T00:00:00.000Z')],
  ['a language that is none', (d) => (d.translations['not a tag'] = d.translations.es)],
  ['a pointer that is none, and an entry that is wrong', (d) => void ((d.translations.de.x = { text: 1 }), (d.translations.es['/a'] = 3))],
  ['several of them', (d) => void ((d.flows[3].x = 1), (d.products[3].name = 4), (d.details.name = ''), (d.translations.de.x = 1))],
]

describe('parseInParts', () => {
  it('returns the same configuration as a Zod check of the whole document', () => {
    for (const document of [fresh(), CONGRESS, { details: CONGRESS.details }]) {
      const { whole, parts } = bothOf(document)
      expect(parts).toEqual(whole)
    }
    // Key order is visible to users and matters when documents are compared as text.
    expect(JSON.stringify(bothOf(fresh()).parts)).toBe(JSON.stringify(bothOf(fresh()).whole))
  })

  it.each(WRONG)('reports the same issues as a Zod check of the whole configuration: %s', (_, damage) => {
    const document = fresh()
    damage(document)
    const { whole, parts } = bothOf(document)
    expect(Array.isArray(whole)).toBe(true)
    expect(parts).toEqual(whole)
  })

  it('reuses the parsed parts of a configuration that an edit did not change', () => {
    const document = fresh()
    const first = runTaskSynchronously(parseInParts(ROOT_NODE, document)) as { value: EventConfig }
    const edited = { ...document, details: { ...document.details, summary: 'Another' } }
    const second = runTaskSynchronously(parseInParts(ROOT_NODE, edited)) as { value: EventConfig }
    expect(second.value.details.summary).toBe('Another')
    expect(second.value.flows).toBe(first.value.flows)
    expect(second.value).toEqual(EventConfig.parse(edited))
  })

  it('stops checking a configuration after a few hundred issues, even with 90,000 unknown properties', () => {
    const document = fresh()
    for (const product of document.products) product.name = 1
    for (const flow of document.flows) for (const page of flow.pages) for (const widget of page.widgets) widget.type = 'nothing'
    const parsed = runTaskSynchronously(parseInParts(ROOT_NODE, document)) as { issues: unknown[] }
    expect(parsed.issues.length).toBeGreaterThanOrEqual(300)
    expect(parsed.issues.length).toBeLessThan(400)
    const keys = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`key-${i}`, 1]))
    const checked = validateDocumentStructure({ ...CONGRESS, details: { ...CONGRESS.details, ...keys } }) as { issues: unknown[] }
    expect(checked.issues).toHaveLength(50)
  })
})
