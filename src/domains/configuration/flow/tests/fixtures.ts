import { type ConfigDocument, EventConfig } from '../../schema/event-config.ts'

export const NOW = new Date('2026-04-10T10:00:00Z')
export const ZONE = 'Europe/Paris'

/** Builds a complete configuration from the given parts and defaults. */
export const configOf = (parts: Partial<ConfigDocument>): EventConfig =>
  EventConfig.parse({ details: { name: 'Congress', startsOn: '2026-09-01', endsOn: '2026-09-03' }, ...parts })

type FlowInput = NonNullable<ConfigDocument['flows']>[number]
export type PageInput = FlowInput['pages'][number]
export type WidgetInput = NonNullable<PageInput['widgets']>[number]

export const flowOf = (pages: PageInput[], more: Partial<FlowInput> = {}): FlowInput => ({
  slug: 'attendee',
  name: 'Attendee',
  pages,
  ...more,
})

export const field = (id: string, binding: string, more: Record<string, unknown> = {}): WidgetInput =>
  ({ id, type: 'field', binding, ...more }) as WidgetInput

export const when = (binding: string, op: string, value?: unknown) =>
  ({ all: [{ binding, op, ...(value === undefined ? {} : { value }) }] }) as never

export const choices = (...codes: string[]) => codes.map((code) => ({ code, name: code }))

/** Builds the worked example of the specification: a lookup, two questions with conditions on them, and a product with a member price. */
export const workedExample = () =>
  configOf({
    tags: [{ code: 'member', name: 'Member' }],
    customFields: [
      { code: 'diet', name: 'Diet', responseType: 'choice', choices: choices('none', 'vegan', 'other') },
      { code: 'first-time', name: 'First time', responseType: 'boolean' },
    ],
    products: [
      {
        code: 'adm',
        name: 'Admission',
        category: 'admission',
        prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }],
      },
    ],
    flows: [
      flowOf([
        {
          code: 'about',
          title: 'About you',
          widgets: [
            { id: 'lookup', type: 'membershipLookup', connection: 'crm', inputs: ['email'], memberTags: ['member'] },
            { id: 'name', type: 'name' },
            field('email', '@participant.email', { required: true }),
            field('diet', '@custom.diet', { required: true }),
            field('first', '@custom.first-time', { required: true }),
            { ...field('note', '@participant.dietary', { required: true }), showWhen: when('@custom.diet', 'equals', 'other') },
          ],
        },
        {
          code: 'welcome',
          title: 'Welcome',
          showWhen: when('@custom.first-time', 'equals', true),
          widgets: [{ id: 'hello', type: 'text', body: '<p>Hello</p>' }],
        },
        {
          code: 'order',
          title: 'Order',
          widgets: [
            { id: 'buy', type: 'products', products: ['adm'], min: 1 },
            { id: 'pay', type: 'payment', methods: ['card'] },
          ],
        },
        { code: 'end', title: 'Done', widgets: [{ id: 'done', type: 'confirmation', body: '<p>Thanks</p>' }] },
      ]),
    ],
  })
