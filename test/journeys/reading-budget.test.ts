import { afterAll, beforeAll, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let olga: OrganizerHandle
let bytes = 0

/** Makes a tool call and counts the bytes of the result text, which the assistant has to read. */
async function read(tool: string, args: object): Promise<any> {
  const answer = await olga.answer(tool, args as Record<string, unknown>)
  const [block] = answer.content
  bytes += Buffer.byteLength(block!.text!)
  if (answer.isError) throw new Error(`${tool} was refused: ${block!.text}`)
  return answer.structuredContent
}

beforeAll(async () => {
  world = await newWorld()
  olga = await world.organizer({ at: await world.client({ code: 'acme' }) })
})
afterAll(() => world.end())

const product = (code: string, name: string, category: string, amount: string, more: object = {}) => ({
  code,
  name,
  category,
  prices: [{ amount }],
  taxCode: 'vat',
  ...more,
})

it('lets an assistant configure a congress with eight products while reading at most 50 KB of tool results', async () => {
  const eventCode = 'congress-2027'
  const at = { eventCode }
  await read('list_clients', {})
  await read('create_event', { clientCode: 'acme', name: 'Congress 2027', startsOn: '2027-05-11', endsOn: '2027-05-13' })
  await read('get_setup_tasks', at)
  await read('config_explore', at)
  for (const path of ['/tags', '/taxes', '/products', '/customFields', '/discounts', '/policies', '/flows', '/emails']) {
    await read('config_explore', { ...at, path, include: ['schema'] })
  }
  await read('config_explore', { ...at, path: '/products/admission/prices', include: ['schema'] })
  await read('config_explore', { ...at, path: '/flows/attendee/pages', include: ['schema'] })
  await read('config_explore', { ...at, path: '/flows/attendee/pages/choices/widgets', include: ['schema'] })
  await read('config_explore', { ...at, path: '/flows/attendee', depth: 0 })
  const sections = {
    tags: [
      { code: 'member', name: 'Member' },
      { code: 'student', name: 'Student' },
    ],
    taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
    customFields: [
      {
        code: 'diet',
        name: 'Dietary needs',
        responseType: 'choice',
        choices: [
          { code: 'none', name: 'None' },
          { code: 'vegan', name: 'Vegan' },
        ],
      },
    ],
    products: [
      product('admission', 'Admission', 'admission', '600.00', {
        prices: [
          { amount: '600.00', until: '2027-03-31' },
          { amount: '750.00', from: '2027-04-01' },
          { amount: '450.00', tags: ['member'] },
        ],
      }),
      product('day', 'Day ticket', 'admission', '250.00'),
      product('student', 'Student ticket', 'admission', '90.00', { visibleForTags: { type: 'any', required: ['student'] } }),
      product('workshop', 'Workshop', 'session', '149.99', { capacity: 30, waitlist: true }),
      product('gala', 'Gala dinner', 'meal', '89.00', { capacity: 300, perPerson: 2 }),
      product('tour', 'City tour', 'tour', '35.00', { capacity: 50 }),
      product('book', 'Proceedings', 'merchandise', '25.00'),
      product('gift', 'Donation', 'donation', '10.00'),
    ],
    discounts: [{ code: 'save15', name: 'Fifteen percent', kind: 'percent', value: '15', products: ['admission', 'workshop'] }],
    flows: [
      {
        slug: 'attendee',
        pages: [
          {
            code: 'extras',
            title: 'Extras',
            widgets: [
              { id: 'diet', type: 'field', binding: '@custom.diet' },
              { id: 'extras', type: 'products', products: ['workshop', 'gala', 'tour', 'book'] },
            ],
          },
        ],
      },
    ],
  }
  const tried = await read('configure_event', { ...at, sections, dryRun: true })
  expect(tried.added).toHaveLength(12)
  await read('configure_event', { ...at, sections })
  await read('validate_schema', at)
  const { flows } = await read('review_flow', { ...at, flowSlug: 'attendee' })
  const operations = flows[0].findings.flatMap(({ suggestion }: any) => suggestion?.operations ?? [])
  await read('config_set', { ...at, operations })
  // A fix suggested by the review must be complete: a product with a price also needs a payment method.
  expect(operations.map(({ valueJson }: any) => JSON.parse(valueJson))).toEqual([{ type: 'payment', methods: ['bank'] }])
  await read('review_flow', { ...at, flowSlug: 'attendee', personJson: '{"tags":["member"]}' })
  await read('diff_versions', { ...at, format: 'text' })
  await read('publish_event', { ...at, dryRun: true })
  expect((await read('publish_event', at)).published).toBe(true)
  await read('get_setup_tasks', { ...at, onlyOpen: true })
  expect(bytes).toBeLessThanOrEqual(50_000)
})
