import { describe, expect, it } from 'vitest'
import {
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  buildFlowEdit,
  buildProductEdit,
  readStoredDraft,
  buildTagEdit,
} from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
const { set, setRefused } = scenario

const choicesAt = (code: string, codes: readonly string[], more: object = {}) => ({
  op: 'insert',
  path: `/customFields/${code}`,
  value: { name: code, responseType: 'choice', choices: codes.map((one) => ({ code: one, name: `Choice ${one}` })), ...more },
})
const codesIn = async (path: string) => (await readStoredDraft(scenario, path)).map(({ code }: { code: string }) => code)
const widgets = (...list: object[]) => buildFlowEdit('attendee', [{ code: 'start', widgets: list }])

describe('configuration item keys that look like list indexes', () => {
  it('removes the item whose key is 3 rather than the item at index 3, and fails when it is repeated', async () => {
    await set([choicesAt('rating', ['1', '2', '3', '4', '5'])])
    const removal = { op: 'remove', path: '/customFields/rating/choices/3' }
    await set([removal])
    const { code, message } = await setRefused([removal])
    expect({ code, message }).toEqual({ code: 'not_found', message: expect.stringContaining('No /customFields/rating/choices/3') })
    expect(await codesIn('/customFields/0/choices')).toEqual(['1', '2', '4', '5'])
  })

  it('inserts an item whose key equals the index of another item', async () => {
    await set([choicesAt('rating', ['1', '2']), { op: 'insert', path: '/customFields/rating/choices/0', value: { name: 'None' } }])
    expect(await codesIn('/customFields/0/choices')).toEqual(['1', '2', '0'])
  })

  it('rejects an edit of a configuration item whose path matches only the index and not the key of the item', async () => {
    await set([buildTagEdit('vip'), buildTagEdit('press')])
    for (const edit of [
      { op: 'set', path: '/tags/0/name', value: 'Else' },
      { op: 'set', path: '/tags/0', value: { name: 'Else' } },
      { op: 'move', path: '/tags/1', at: 0 },
      { op: 'rename', path: '/tags/1', to: 'media' },
      { op: 'move', path: '/tags/press', before: '0' },
    ])
      expect(await setRefused([edit])).toMatchObject({ code: expect.stringMatching(/^(not_found|invalid_arguments)$/) })
    expect(await readStoredDraft(scenario, '/tags')).toEqual([
      { code: 'vip', name: 'vip' },
      { code: 'press', name: 'press' },
    ])
  })

  it('validates a proposed item as a new item if its key equals only the list index of another item', async () => {
    await set([CONTACT_EMAIL_EDIT, choicesAt('rating', ['7', '8', '9'])])
    const candidate = { path: '/customFields/rating/choices/1', candidateJson: JSON.stringify({ name: 'One' }) }
    expect(await scenario.call('validate_schema', candidate)).toMatchObject({ valid: true, issues: [] })
  })

  it('copies a tag with the code 1 without replacing the tag at index 1', async () => {
    const source = await scenario.world.event({ at: scenario.event, status: 'draft' })
    await scenario.olga.call('configure_event', { eventCode: source.eventCode, sections: { tags: [{ code: '1', name: 'First' }] } })
    await set([buildTagEdit('member'), buildTagEdit('vip')])
    const { copied, replaced } = await scenario.call('copy_event_config', {
      fromEventCode: source.eventCode,
      items: [{ section: 'tags', code: '1' }],
      onConflict: 'replace',
    })
    expect({ copied, replaced }).toEqual({ copied: ['/tags/1'], replaced: [] })
    expect(await codesIn('/tags')).toEqual(['member', 'vip', '1'])
  })
})

describe('replacing a whole configuration item', () => {
  it('allows replacing a widget by one of another type under the same key', async () => {
    await set([widgets({ id: 'w1', type: 'heading', text: 'Hello' })])
    await set([{ op: 'set', path: '/flows/attendee/pages/start/widgets/w1', value: { type: 'text', body: '<p onclick="x()">Hi</p>' } }])
    expect(await readStoredDraft(scenario, '/flows/0/pages/0/widgets')).toEqual([{ id: 'w1', type: 'text', body: '<p>Hi</p>' }])
    const renamed = { op: 'set', path: '/flows/attendee/pages/start/widgets/w1', value: { id: 'w2', type: 'divider' } }
    expect((await setRefused([renamed])).fields).toEqual([
      { path: 'operations/0/valueJson', message: 'id "w2" differs from the path; use op rename' },
    ])
  })

  it('allows replacing an email block by one of another type under the same key', async () => {
    await set([
      {
        op: 'insert',
        path: '/emails/hello',
        value: { name: 'Hello', trigger: 'none', subject: 'Hello', blocks: [{ id: 'b', type: 'divider' }] },
      },
      { op: 'set', path: '/emails/hello/blocks/b', value: { type: 'heading', text: 'Welcome' } },
    ])
    expect(await readStoredDraft(scenario, '/emails/0/blocks')).toEqual([{ id: 'b', type: 'heading', text: 'Welcome' }])
  })

  it('reports errors in a replaced widget with paths that contain the keys of the nested items', async () => {
    await set([widgets({ id: 'w1', type: 'heading', text: 'Hello' })])
    const value = { type: 'accordion', items: [{ id: 'one', title: 'One', body: '' }] }
    const { fields } = await setRefused([{ op: 'set', path: '/flows/attendee/pages/start/widgets/w1', value }])
    expect(fields).toEqual([{ path: '/flows/attendee/pages/start/widgets/w1/items/one/body', message: 'must not be empty' }])
    const typeless = { op: 'set', path: '/flows/attendee/pages/start/widgets/w1', value: { text: 'Hello' } }
    expect((await setRefused([typeless])).fields?.[0]).toMatchObject({ path: '/flows/attendee/pages/start/widgets/w1/type' })
  })
})

describe('renaming a configuration item', () => {
  it('updates conditions that use a renamed discount code, regardless of upper and lower case', async () => {
    const notice = (id: string, op: string, value: unknown) => ({
      id,
      type: 'notice',
      body: 'Thanks',
      showWhen: { all: [{ binding: '@discount.code', op, value }] },
    })
    await set([
      CONTACT_EMAIL_EDIT,
      { op: 'insert', path: '/discounts/save15', value: { name: 'Save', kind: 'percent', value: '15' } },
      widgets(
        { id: 'code', type: 'discountCode' },
        notice('a', 'equals', 'SAVE15'),
        notice('b', 'in', ['save15']),
        notice('c', 'contains', 'save15'),
      ),
    ])
    const { renamedReferences, issues } = await set([{ op: 'rename', path: '/discounts/save15', to: 'save20' }])
    expect({ renamedReferences, issues }).toEqual({ renamedReferences: 2, issues: [] })
    const stored = await readStoredDraft(scenario, '/flows/0/pages/0/widgets')
    expect(stored.slice(1).map((widget: any) => widget.showWhen.all[0].value)).toEqual(['save20', ['save20'], 'save15'])
  })

  it('updates the default choices of a question when a choice is renamed', async () => {
    await set([
      choicesAt('diet', ['none', 'vegan']),
      choicesAt('days', ['mon', 'tue'], { responseType: 'multiChoice' }),
      { op: 'insert', path: '/customFields/note', value: { name: 'Note', responseType: 'text' } },
      widgets(
        { id: 'a', type: 'field', binding: '@custom.diet', default: 'vegan' },
        { id: 'b', type: 'field', binding: '@custom.days', default: ['mon', 'tue'] },
        { id: 'c', type: 'field', binding: '@custom.note', default: 'vegan' },
      ),
    ])
    const { renamedReferences } = await set([
      { op: 'rename', path: '/customFields/diet/choices/vegan', to: 'plants' },
      { op: 'rename', path: '/customFields/days/choices/mon', to: 'monday' },
    ])
    expect(renamedReferences).toBe(2)
    const stored = await readStoredDraft(scenario, '/flows/0/pages/0/widgets')
    expect(stored.map((widget: any) => widget.default)).toEqual(['plants', ['monday', 'tue'], 'vegan'])
  })

  it('reports an issue if a choice is removed that is the default choice of its question', async () => {
    await set([
      choicesAt('diet', ['none', 'vegan']),
      widgets({ id: 'a', type: 'field', binding: '@custom.diet', default: 'vegan' }),
      buildProductEdit('adm'),
    ])
    const { introduced } = await set([{ op: 'remove', path: '/customFields/diet/choices/vegan' }])
    expect(introduced).toMatchObject([
      { level: 'reference', code: 'missing', path: '/flows/attendee/pages/start/widgets/a/default', value: 'vegan' },
    ])
  })
})
