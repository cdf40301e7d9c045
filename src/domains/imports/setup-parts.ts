import { toSlug } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'
import type { ImportQuestionAnswers, ProposedColumn, ProposedSheet } from './propose.ts'

/** Product code for imported amounts without a product. */
export const IMPORTED_FEE_CODE = 'imported-fee'

/** Configuration items that an import needs and the draft does not have yet. */
export interface MissingConfigItems {
  flow: string | null
  customFields: { code: string; name: string; responseType: 'choice' | 'text'; choices: { code: string; name: string }[] }[]
  products: { code: string; name: string }[]
  tags: { code: string; name: string }[]
}

interface ImportNeeds {
  sheets: readonly ProposedSheet[]
  flowSlug: string
  values: ImportQuestionAnswers['values']
}

export function findMissingConfigItems(config: EventConfig, { sheets, flowSlug, values }: ImportNeeds): MissingConfigItems {
  const used = sheets.filter(({ kind }) => kind !== 'ignore')
  const columns = used.flatMap((sheet) => sheet.columns)
  const valuesOf = (field: string) => columns.filter((column) => column.field === field).flatMap((column) => valuesIn(column, values))
  return {
    flow: config.flows.some(({ slug }) => slug === flowSlug) ? null : flowSlug,
    customFields: newFields(config, columns),
    products: [
      ...newItems(valuesOf('productName'), config.products),
      ...(needsFee(used) && !config.products.some(({ code }) => code === IMPORTED_FEE_CODE)
        ? [{ code: IMPORTED_FEE_CODE, name: 'Imported fee' }]
        : []),
    ],
    tags: newItems(
      valuesOf('tagList').flatMap((value) => splitTags(value)),
      config.tags,
    ),
  }
}

/** Splits a cell into tags, separated by comma, semicolon or bar. */
export const splitTags = (value: string): string[] =>
  value
    .split(/[,;|]/)
    .map((part) => part.trim())
    .filter(Boolean)

const same = (a: string, b: string) => normalizeColumnHeading(a) === normalizeColumnHeading(b)

/** Returns the replacement that the caller has given for this value in this column, otherwise the value itself. */
export const replaceImportedValue = (values: ImportQuestionAnswers['values'], column: string, value: string): string =>
  values.findLast((one) => same(one.column, column) && same(one.from, value))?.to ?? value

const valuesIn = ({ name, distinct }: ProposedColumn, values: ImportQuestionAnswers['values']) =>
  (distinct ?? []).map((value) => replaceImportedValue(values, name, value))

/** Finds a configuration item by code or name. */
export const findConfigItem = <T extends { code: string; name: string }>(items: readonly T[], value: string): T | undefined =>
  items.find(({ code }) => code === value.trim().toLowerCase()) ??
  items.find(({ name }) => same(name, value)) ??
  items.find(({ code }) => code === toSlug(value))

function newItems(values: readonly string[], known: readonly { code: string; name: string }[]): { code: string; name: string }[] {
  const made: { code: string; name: string }[] = []
  for (const value of values) if (!findConfigItem([...known, ...made], value)) made.push({ code: toSlug(value), name: value.slice(0, 80) })
  return made
}

const needsFee = (sheets: readonly ProposedSheet[]) =>
  sheets.some(
    ({ columns }) =>
      columns.some(({ field }) => field === 'amountPaid' || field === 'amountDue') && !columns.some(({ field }) => field === 'productName'),
  )

function newFields(config: EventConfig, columns: readonly ProposedColumn[]): MissingConfigItems['customFields'] {
  return columns.flatMap(({ field, name, proposed }) => {
    const code = field.slice('new:'.length)
    if (!field.startsWith('new:') || config.customFields.some((one) => one.code === code)) return []
    const choices = newItems(proposed?.choices ?? [], [])
    return [{ code, name: name.slice(0, 300), responseType: choices.length > 0 ? ('choice' as const) : ('text' as const), choices }]
  })
}

/**
 * Returns the configuration items to add to the draft. The flow is invite-only and the products are retired, because they exist only for
 * imported registrations.
 */
export function toDraftConfigItems({ flow, customFields, products, tags }: MissingConfigItems, currency: string): Record<string, unknown> {
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
