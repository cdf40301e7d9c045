import { expect, it } from 'vitest'
import { assessTaxesJob } from '../../src/domains/taxation/assess.ts'
import { rehearseFlowJob } from '../../src/domains/rehearsals/rehearse.ts'
import { useCountedJobs } from '../support/counted-jobs.ts'
import { newAttendee, WORKED_EXAMPLE } from '../support/sales-scenario.ts'

const [contact, choices, done] = WORKED_EXAMPLE.flows[0]!.pages
/** A French event that charges the German rate for its workshop and shows one page only to those who need a visa. */
const EVENT = {
  ...WORKED_EXAMPLE,
  customFields: [{ code: 'visa', name: 'Do you need a visa?', responseType: 'boolean' }],
  taxes: [...WORKED_EXAMPLE.taxes, { code: 'vat-19', name: 'VAT', rate: '19' }],
  products: WORKED_EXAMPLE.products.map((product) => (product.code === 'workshop' ? { ...product, taxCode: 'vat-19' } : product)),
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        { ...contact!, widgets: [...contact!.widgets, { id: 'visa', type: 'field', binding: '@custom.visa', required: true }] },
        {
          code: 'visa',
          title: 'Visa',
          showWhen: { all: [{ binding: '@custom.visa', op: 'equals', value: true }] },
          widgets: [{ id: 'address', type: 'field', binding: '@participant.country', required: true }],
        },
        choices!,
        done!,
      ],
    },
  ],
}
const { startJob, scenario, runQueued } = useCountedJobs(EVENT, {
  prepare: ({ register }) => register({ workshop: 1 }, { data: { '@custom.visa': false } }),
})
const money = (amount: string, currency = 'EUR') => ({ amount, currency })

/** A price list as a spreadsheet program exports it in German. */
const rows = Array.from({ length: 40 }, (_, n) => `ws-${n + 1};Workshop ${n + 1};${100 + n},50;${n % 2 ? 20 : 30};vat-20`)
const sheet = (lines: readonly string[]) => ['Code;Name;Preis;Kapazität;Steuer', ...lines].join('\n')

it('organizer job 13: assesses taxes, applies a recommended tax rate and publishes the event', async () => {
  const { call, refused } = startJob(10)
  expect(await refused('start_tax_assessment')).toContain('Set establishedIn with update_client.')
  const taxRegistrations = [{ country: 'FR', number: 'FR40303265045', from: '2010-01-01' }]
  await call('update_client', { clientCode: scenario.event.clientCode, establishedIn: 'FR', taxRegistrations })
  const { assessmentId, jobId } = await call('start_tax_assessment')
  await runQueued(assessTaxesJob, jobId)
  const { findings, totals } = await call('start_tax_assessment', { assessmentId })
  expect(findings[0]).toMatchObject({ kind: 'wrong_rate', severity: 'high', productCode: 'workshop', recommended: { rate: '20' } })
  // The undercharged tax is 1 % of 149.99.
  expect(totals).toMatchObject({ high: 1, lines: 1, under: money('1.50'), over: money('0.00') })
  const accepted = { assessmentId, findingIds: [findings[0].id] }
  expect((await call('apply_tax_recommendations', { ...accepted, dryRun: true })).affectedInvoices).toMatchObject({ count: 1 })
  const { applied, needsPublish } = await call('apply_tax_recommendations', accepted)
  expect(applied).toContainEqual(expect.objectContaining({ path: '/products/workshop/taxCode', before: 'vat-19', after: 'vat-fr-20' }))
  expect(needsPublish).toBe(true)
  expect((await call('publish_event', { note: 'French rate' })).published).toBe(true)
})

it('organizer job 9: clones an event into another currency with a conditional page, an early-bird price and a discount', async () => {
  const { call } = startJob(10)
  const cloned = await call('clone_event', { newCode: 'geneva-2027', newName: 'Geneva 2027', startsOn: '2027-09-07' })
  expect(cloned.copied).toMatchObject({ products: 3, discounts: 2, flows: 1, taxes: expect.any(Number) })
  const earlyBird = { path: '/products/pass/prices/0/until', before: '2026-03-31', after: '2027-04-06' }
  expect(cloned.dateChanges.samples).toContainEqual(earlyBird)
  const at = { eventCode: 'geneva-2027' }
  const changed = await call('update_event', { ...at, currency: 'CHF', timezone: 'Europe/Zurich' })
  expect(changed.effects).toContainEqual({ what: 'amounts that are now in CHF', count: 8 })

  const mealPage = {
    title: 'Meals',
    showWhen: { all: [{ binding: '@product.workshop', op: 'gt', value: 0 }] },
    widgets: [{ id: 'kitchen', type: 'field', binding: '@participant.dietary' }],
  }
  const workshopPrices = [
    { amount: '100.00', until: '2027-03-31' },
    { amount: '150.00', from: '2027-04-01' },
  ]
  const friends = { name: 'Friends', kind: 'percent', value: '10', products: ['workshop'] }
  const edit = (op: string, path: string, value: unknown, where = {}) => ({ op, path, valueJson: JSON.stringify(value), ...where })
  const added = await call('config_set', {
    ...at,
    operations: [
      edit('insert', '/flows/attendee/pages/meals', mealPage, { after: 'choices' }),
      edit('set', '/products/workshop/prices', workshopPrices),
      edit('insert', '/discounts/friends10', friends),
    ],
  })
  expect(added).toMatchObject({ issues: [], introduced: [] })
  expect((await call('publish_event', at)).published).toBe(true)

  const isVisible = async (page: string, answers: object) => {
    const { pages } = await call('describe_participant_flow', { ...at, flowSlug: 'attendee', answers })
    return pages.find(({ code }: { code: string }) => code === page).visible
  }
  expect([await isVisible('visa', { '@custom.visa': true }), await isVisible('visa', { '@custom.visa': false })]).toEqual([true, false])
  expect([await isVisible('meals', { '@product.workshop': 1 }), await isVisible('meals', {})]).toEqual([true, false])
  const tryOrder = async (more: object) => {
    const data = { ...newAttendee(), '@custom.visa': false, ...more }
    return (await call('add_participant', { ...at, flowSlug: 'attendee', data, dryRun: true })).order.total
  }
  // The cloned early-bird price of 600.00 less 15 %, plus 20 %; and the new one of 100.00 less 10 %, plus 20 %.
  expect(await tryOrder({ '@product.pass': 1, '@discount.code': 'save15' })).toEqual(money('612.00', 'CHF'))
  expect(await tryOrder({ '@product.workshop': 1, '@discount.code': 'friends10' })).toEqual(money('108.00', 'CHF'))
})

it('organizer job 10: translates, rehearses and publishes an event', async () => {
  const { call } = startJob(12)
  await call('update_event', { locales: ['en', 'de'] })
  const { tasks } = await call('get_setup_tasks', { onlyOpen: true })
  expect(tasks[0]).toMatchObject({
    code: 'basics.locales',
    why: 'de 0 %',
    paths: ['/translations'],
    tools: ['config_explore', 'config_set'],
  })
  const { help } = await call('config_explore', { path: tasks[0].paths[0] })
  expect(help).toContain('/translations/de with include issues lists the missing ones')
  const { issues } = await call('config_explore', { path: '/translations/de', include: ['issues'] })
  const missing = issues.filter(({ code }: { code: string }) => code === 'missing')
  const operations = missing.map(({ path, value }: Record<string, string>) => ({
    op: 'set',
    path,
    valueJson: JSON.stringify(`${value} (de)`),
  }))
  const translated = await call('config_set', { operations })
  expect(translated.changed).toEqual(['/translations/de'])
  expect(translated.issues).toEqual([])
  const { jobId, rehearsalId } = await call('rehearse_flow', { flowSlug: 'attendee', locales: ['de'], maxPeople: 2 })
  await runQueued(rehearseFlowJob, jobId)
  const rehearsed = await call('get_flow_rehearsal', { rehearsalId })
  expect(rehearsed).toMatchObject({
    status: 'done',
    outcomes: { completed: 2, failed: 0 },
    findings: [],
    negative: { wronglyAccepted: [] },
  })
  const published = await call('publish_event', { note: 'German' })
  expect(published.published).toBe(true)
  expect(published.issues.map(({ code }: { code: string }) => code)).not.toContain('untranslated')
  const live = await call('config_explore', { path: '/translations/de', source: 'live', depth: 0 })
  expect(JSON.parse(live.valueJson)['/products/dinner/name']).toMatchObject({ text: 'Dinner (de)' })
})

it('organizer job 11: creates an invite-only flow, adds its invite list and registers an invited person', async () => {
  const { call, refused } = startJob(10)
  const { schema } = await call('config_explore', { path: '/flows/attendee', include: ['schema'], depth: 0 })
  expect(schema.properties).toHaveProperty('inviteOnly')
  expect(schema.properties.pages.items.properties.widgets.items.required).toEqual(['id', 'type'])
  const contactWidgets = [
    { id: 'name', type: 'name' },
    { id: 'email', type: 'field', binding: '@participant.email', required: true },
  ]
  const pages = [
    { code: 'you', title: 'You', widgets: contactWidgets },
    { code: 'end', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Welcome</p>' }] },
  ]
  const press = { slug: 'press', name: 'Press', inviteOnly: true, pages }
  expect((await call('configure_event', { sections: { flows: [press] } })).added).toEqual(['/flows/press'])
  const warned = async () => (await call('review_flow', { flowSlug: 'press', checks: ['F36'] })).counts.warning
  const rows = [{ email: 'ida@example.org', firstName: 'Ida' }, { email: 'bo@example.org' }, { email: 'no address' }]
  const invited = { flowSlug: 'press', rows, tags: ['vip'] }
  expect(await warned()).toBe(1)
  expect(await refused('add_invite_list_participants', invited)).toContain('Publish the draft first.')
  expect((await call('publish_event')).published).toBe(true)
  const listed = await call('add_invite_list_participants', invited)
  expect(listed).toMatchObject({ added: 2, invalidCount: 1, invalid: [{ row: 3, value: 'no address' }], listSize: 2 })
  expect(await warned()).toBe(0)
  const data = { ...newAttendee(), '@participant.email': 'ida@example.org' }
  const { participant } = await call('add_participant', { flowSlug: 'press', data })
  expect(participant).toMatchObject({ flowSlug: 'press', tags: ['vip'] })
})

it('organizer job 12: connects an uploaded member list as a directory, so that members get the member price', async () => {
  const { call } = startJob(10)
  const { presets } = await call('list_directory_presets', { search: 'list' })
  expect(presets[0]).toMatchObject({ code: 'uploaded-list', settings: [{ name: 'csv', required: true }] })
  const csv = 'email,status,company\nada@example.org,active,Engines\nben@example.org,lapsed,Curves'
  const created = await call('create_directory_connection', { name: 'Members', preset: 'uploaded-list', settings: { csv } })
  const connection = created.connection.code
  expect(created.connection.settings).toMatchObject({ rows: '2', columns: 'email, status, company' })
  await call('configure_directory_connection', {
    connection,
    tagRules: [{ when: { from: '$.status', op: 'equals', value: 'active' }, tag: 'member' }],
    bindings: [{ from: '$.company', to: '@participant.company', mode: 'prefill' }],
  })
  const tested = await call('test_directory_connection', { connection, inputs: { email: 'ada@example.org' }, expect: 'found' })
  expect(tested).toMatchObject({ ok: true, status: 'ready', outcome: 'found', tags: ['member'] })
  await call('config_set', { operations: [{ op: 'set', path: '/flows/attendee/directory', valueJson: JSON.stringify(connection) }] })
  await call('publish_event', { acceptWarnings: true })
  const ada = { ...newAttendee(), '@participant.email': 'ada@example.org', '@custom.visa': false, '@product.pass': 1 }
  const { participant, order } = await call('add_participant', { flowSlug: 'attendee', data: ada })
  expect(participant).toMatchObject({ company: 'Engines', directoryTags: ['member'] })
  // The total is the member price of 520.00 plus 20 %.
  expect(order.total).toEqual(money('624.00'))
})

it('organizer job 7: imports 40 products', async () => {
  const { call } = startJob(6)
  const wrong = await call('import_products', { text: sheet(rows.with(6, 'ws-7;Workshop 7;gratis;30;vat-20')), dryRun: true })
  expect(wrong).toMatchObject({ created: 0, errors: [{ row: 8, column: 'Preis', value: 'gratis' }] })
  expect(await call('import_products', { text: sheet(rows), dryRun: true })).toMatchObject({ created: 40, errors: [] })
  expect(await call('import_products', { text: sheet(rows) })).toMatchObject({ created: 40, errors: [], unknownColumns: [] })
  const { valueJson } = await call('config_explore', { path: '/products/ws-40' })
  expect(JSON.parse(valueJson)).toMatchObject({ name: 'Workshop 40', prices: [{ amount: '139.50' }], capacity: 20, taxCode: 'vat-20' })
})
