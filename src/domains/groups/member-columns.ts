import { z } from 'zod'
import { toOneLine, flag, list, object, text } from '../../kernel/args.ts'
import { HOUSING_FIELDS } from '../configuration/data-fields.ts'
import { ChoiceListSchema, describeFlowQuestions } from '../configuration/field-descriptors.ts'
import { indexConfigByCode, toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import { evaluateFlow } from '../configuration/flow/walk.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { formatCsvLine } from '../sheets/csv.ts'
import type { GroupRow } from './groups.ts'

/** One question about a member, as a column of the import. */
export const MemberImportColumn = object({
  binding: text(),
  header: z.string(),
  required: flag(),
  type: text(),
  choices: ChoiceListSchema.optional(),
  sameChoicesAs: text().optional(),
})

type MemberImportColumn = z.input<typeof MemberImportColumn>

export const MemberImportColumns = toOneLine(list(MemberImportColumn), 'binding, header, required, type, choices[]')

/** Answers that every registration needs, even if the flow does not ask for them. */
export const REQUIRED_MEMBER_FIELDS = ['@participant.firstName', '@participant.lastName', '@participant.email']

/**
 * Lists the columns of the import: the questions of the group's flow, the products offered to its members, and rooms if the event has
 * housing. File uploads and policies are excluded, because only the participant can complete them.
 */
export function listMemberColumns(
  { config, facts }: Pick<Configuration, 'config' | 'facts'>,
  flow: Flow,
  { tags }: Pick<GroupRow, 'tags'>,
): MemberImportColumn[] {
  const asked = describeFlowQuestions(config, flow, facts, tags).filter(({ type }) => type !== 'file')
  const fields = asked.map(({ binding, label, required, type, choices }) => ({
    binding,
    header: label,
    required: required || REQUIRED_MEMBER_FIELDS.includes(binding),
    type,
    ...(choices ? { choices } : {}),
  }))
  const rooms = config.housing.enabled ? HOUSING_FIELDS : []
  return [
    ...fields,
    ...listProductsOfferedToMembers({ config, facts }, flow, tags).map(({ product }) => ({
      binding: toProductAnswerKey(product.code),
      header: product.name,
      required: false,
      type: 'number',
    })),
    ...rooms.map(({ binding, label, type }) => ({ binding, header: label, required: false, type })),
  ]
}

/** Lists the products offered to members at the group's price; the amount is null for a donation of any amount. */
export function listProductsOfferedToMembers(
  { config, facts }: Pick<Configuration, 'config' | 'facts'>,
  flow: Flow,
  tags: readonly string[],
) {
  const walk = evaluateFlow(config, flow, { answers: {}, tags, timezone: facts.timezone, now: facts.now })
  const offers = walk.pages.flatMap(({ widgets }) => widgets.flatMap((widget) => widget.products))
  const { products } = indexConfigByCode(config)
  return [...new Map(offers.map((offer) => [offer.code, offer])).values()].map(({ code, amount }) => ({
    product: products.get(code)!,
    amount,
  }))
}

const SAMPLE_VALUES: Record<string, unknown> = {
  '@participant.firstName': 'Ana',
  '@participant.lastName': 'Lima',
  '@participant.email': 'ana.lima@example.org',
}

/** Builds a sample member with the required answers only. */
export const buildExampleMember = (columns: readonly MemberImportColumn[], { startsOn }: Pick<Configuration['facts'], 'startsOn'>) => ({
  data: Object.fromEntries(
    columns
      .filter(({ required }) => required)
      .map(({ binding, type, choices }) => [binding, SAMPLE_VALUES[binding] ?? choices?.[0]?.code ?? sampleValueOf(type, startsOn)]),
  ),
})

function sampleValueOf(type: string, day: string): unknown {
  if (type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'date') return day
  if (type === 'url') return 'https://example.org'
  if (type === 'phone') return '+4930123456'
  if (type === 'email') return 'office@example.org'
  return 'Example'
}

/** Builds a CSV file to fill in: the first row has the bindings (identifiers of the questions), the second their labels. */
export const formatMemberCsvTemplate = (columns: readonly MemberImportColumn[]): string =>
  formatCsvLine(columns.map(({ binding }) => binding.slice(1))) + formatCsvLine(columns.map(({ header }) => header))
