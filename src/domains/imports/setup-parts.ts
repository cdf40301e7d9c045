import { slugOf } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { foldedWords } from '../sheets/words.ts'
import type { Answered, ProposedColumn, ProposedSheet } from './propose.ts'

/** The product of whoever paid for nothing that has a name. */
export const IMPORTED_FEE = 'imported-fee'

/** Parts of a configuration that an import needs and that are not there yet. */
export interface MissingParts {
  flow: string | null
  customFields: { code: string; name: string; responseType: 'choice' | 'text'; choices: { code: string; name: string }[] }[]
  products: { code: string; name: string }[]
  tags: { code: string; name: string }[]
}

interface Needing {
  sheets: readonly ProposedSheet[]
  flowSlug: string
  values: Answered['values']
}

export function missingParts(config: EventConfig, { sheets, flowSlug, values }: Needing): MissingParts {
  const used = sheets.filter(({ kind }) => kind !== 'ignore')
  const columns = used.flatMap((sheet) => sheet.columns)
  const valuesOf = (field: string) => columns.filter((column) => column.field === field).flatMap((column) => valuesIn(column, values))
  return {
    flow: config.flows.some(({ slug }) => slug === flowSlug) ? null : flowSlug,
    customFields: newFields(config, columns),
    products: [
      ...newItems(valuesOf('productName'), config.products),
      ...(needsFee(used) && !config.products.some(({ code }) => code === IMPORTED_FEE)
        ? [{ code: IMPORTED_FEE, name: 'Imported fee' }]
        : []),
    ],
    tags: newItems(
      valuesOf('tagList').flatMap((value) => tagsIn(value)),
      config.tags,
    ),
  }
}

/** Several in one cell are parted by a comma, semicolon or bar. */
export const tagsIn = (value: string): string[] =>
  value
    .split(/[,;|]/)
    .map((part) => part.trim())
    .filter(Boolean)

const same = (a: string, b: string) => foldedWords(a) === foldedWords(b)

/** A value as it was told to be read. */
export const toldValue = (values: Answered['values'], column: string, value: string): string =>
  values.findLast((one) => same(one.column, column) && same(one.from, value))?.to ?? value

const valuesIn = ({ name, distinct }: ProposedColumn, values: Answered['values']) =>
  (distinct ?? []).map((value) => toldValue(values, name, value))

/** The item that a value names: by its code, or by its name. */
export const itemNamed = <T extends { code: string; name: string }>(items: readonly T[], value: string): T | undefined =>
  items.find(({ code }) => code === value.trim().toLowerCase()) ??
  items.find(({ name }) => same(name, value)) ??
  items.find(({ code }) => code === slugOf(value))

function newItems(values: readonly string[], known: readonly { code: string; name: string }[]): { code: string; name: string }[] {
  const made: { code: string; name: string }[] = []
  for (const value of values) if (!itemNamed([...known, ...made], value)) made.push({ code: slugOf(value), name: value.slice(0, 80) })
  return made
}

const needsFee = (sheets: readonly ProposedSheet[]) =>
  sheets.some(
    ({ columns }) =>
      columns.some(({ field }) => field === 'amountPaid' || field === 'amountDue') && !columns.some(({ field }) => field === 'productName'),
  )

function newFields(config: EventConfig, columns: readonly ProposedColumn[]): MissingParts['customFields'] {
  return columns.flatMap(({ field, name, proposed }) => {
    const code = field.slice('new:'.length)
    if (!field.startsWith('new:') || config.customFields.some((one) => one.code === code)) return []
    const choices = newItems(proposed?.choices ?? [], [])
    return [{ code, name: name.slice(0, 300), responseType: choices.length > 0 ? ('choice' as const) : ('text' as const), choices }]
  })
}

/** As they are laid over the draft. Nobody enters the flow and nothing is offered: they are what people once had elsewhere. */
export function draftParts({ flow, customFields, products, tags }: MissingParts, currency: string): Record<string, unknown> {
  const pages = [
    {
      code: 'contact',
      title: 'You',
      widgets: [
        { id: 'name', type: 'name' },
        { id: 'email', type: 'field', binding: '@participant.email' },
      ],
    },
    { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>You are registered.</p>' }] },
  ]
  return {
    ...(flow === null ? {} : { flows: [{ slug: flow, name: 'Imported registrations', inviteOnly: true, pages }] }),
    ...(customFields.length > 0 ? { customFields } : {}),
    ...(products.length > 0
      ? {
          products: products.map((product) => ({
            ...product,
            category: 'other',
            prices: [{ amount: toMoney(0, currency).amount }],
            retired: true,
          })),
        }
      : {}),
    ...(tags.length > 0 ? { tags } : {}),
  }
}
