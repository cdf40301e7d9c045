import fc from 'fast-check'
import type { ConfigDocument } from '../schema/event-config.ts'

/** Generates codes for items. Some look like list indexes, because those are the most error-prone. */
const code = () => fc.oneof(fc.constantFrom('0', '1', '2', '10'), fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/))
const line = () => fc.constantFrom('Gala', 'Überraschung', 'Zusatz / extra', 'a~b', 'Straße', '0')
const html = () => fc.constantFrom('<p>Welcome &amp; enjoy</p>', '<p>{{participant.firstName}}</p>', 'plain')

const keyed = <T>(key: 'code' | 'slug' | 'id', item: fc.Arbitrary<T>, minLength = 0) =>
  fc
    .uniqueArray(fc.tuple(code(), item), { selector: ([own]) => own, minLength, maxLength: 4 })
    .map((pairs) => pairs.map(([own, rest]) => ({ [key]: own, ...rest })))

const optional = <T extends object>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] })

const condition = () =>
  fc.record({ all: fc.array(fc.constant({ binding: '@participant.company', op: 'isSet' as const }), { minLength: 1, maxLength: 2 }) })

const widget = () =>
  fc.oneof(
    fc.record({ type: fc.constant('heading' as const), text: line(), level: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ type: fc.constant('field' as const), binding: fc.constant('@participant.company'), showWhen: condition() }),
    fc.record({ type: fc.constant('accordion' as const), items: keyed('id', fc.record({ title: line(), body: html() }), 1) }),
    fc.constant({ type: 'divider' as const }),
  )

const flow = () =>
  fc.record(
    { name: line(), inviteOnly: fc.boolean(), addsTags: fc.uniqueArray(code(), { maxLength: 2 }), pages: keyed('code', withWidgets(), 1) },
    { requiredKeys: ['name', 'pages'] },
  )

// Widget ids are unique in a flow, so only one page of it has widgets.
const withWidgets = () => fc.record({ title: line() })

const product = () =>
  fc.record(
    {
      name: line(),
      category: fc.constantFrom('meal' as const, 'tour' as const),
      description: html(),
      prices: fc.array(
        fc.record(
          { amount: fc.constantFrom('10.00', '0.00'), tags: fc.uniqueArray(code(), { maxLength: 2 }) },
          { requiredKeys: ['amount'] },
        ),
        { maxLength: 3 },
      ),
      capacity: fc.nat(100),
    },
    { requiredKeys: ['name', 'category'] },
  )

const translated = fc.dictionary(
  fc.constantFrom('/details/name', '/products/0/name', '/tags/a~0b/name'),
  fc.record({ text: line(), sourceHash: fc.constant('0123456789abcdef'), state: fc.constantFrom('machine' as const, 'reviewed' as const) }),
  { minKeys: 1, maxKeys: 3 },
)

/** Generates structurally valid documents with arbitrary references. */
export const documents = (): fc.Arbitrary<ConfigDocument> =>
  fc
    .tuple(
      optional({
        tags: keyed('code', fc.record({ name: line() })),
        products: keyed('code', product()),
        flows: keyed('slug', flow()),
        badge: optional({
          fields: fc.array(fc.constant('@participant.company'), { maxLength: 3 }),
          qr: optional({ ecc: fc.constantFrom('L', 'M') }),
        }),
        theme: optional({ radius: fc.integer({ min: 0, max: 32 }), colors: optional({ brand: fc.constantFrom('#1f4e79', '#000000') }) }),
        translations: fc.dictionary(fc.constantFrom('de', 'pt-BR'), translated),
      }),
      keyed('id', widget()),
    )
    .map(([parts, widgets]) => {
      const flows = (parts.flows ?? []) as { pages: object[] }[]
      for (const { pages } of flows) Object.assign(pages[0]!, { widgets })
      return { details: { name: 'Congress', startsOn: '2027-05-11', endsOn: '2027-05-13' }, ...parts } as unknown as ConfigDocument
    })
