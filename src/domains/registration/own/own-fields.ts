import { z } from 'zod'
import { toOneLine, count, truncationResult, list, object } from '../../../kernel/args.ts'
import { takeItemsWithinByteLimit } from '../../../kernel/bytes.ts'
import { type DataField, listParticipantDataFields, HOUSING_FIELDS } from '../../configuration/data-fields.ts'
import {
  describeField,
  fieldDescriptorSchema,
  shortenCountryChoices,
  type FlowQuestion,
  listFlowQuestions,
  MAX_FIELD_DESCRIPTORS_BYTES,
} from '../../configuration/field-descriptors.ts'
import type { Configuration } from '../../configuration/read.ts'
import { normalizeForSearch } from '../../configuration/search-index.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { type VerifiedEmailContext, createFlowNotOpenError, findOpenFlows, listTagsBeforeFlowStart } from '../flows/open-flows.ts'

const limit = () => z.union([z.number(), z.string()]).optional()

export const AssistantFillableFields = {
  fields: toOneLine(
    list(
      object({
        ...fieldDescriptorSchema,
        validation: object({ min: limit(), max: limit(), pattern: z.string().optional(), maxLength: count().optional() }),
      }),
      10_000,
    ),
    'binding, label, type, required, choices[] (code, name), validation (min, max, pattern)',
  ),
  total: count(),
  ...truncationResult,
}

type Field = z.input<(typeof AssistantFillableFields)['fields']>[number]

interface Request {
  flowSlug?: string | undefined
  entity?: 'participant' | 'custom' | 'housing' | undefined
  search?: string | undefined
}

const MAX_FIELDS = 1000

/** Lists every field that an assistant may fill in for a participant. Internal fields of the organizer are left out. */
export async function listAssistantFillableFields(ctx: VerifiedEmailContext, { flowSlug, entity, search }: Request) {
  const open = await findOpenFlows(ctx)
  const flow = flowSlug === undefined ? null : open?.flows.find(({ slug }) => slug === flowSlug)
  if (flow === undefined) throw createFlowNotOpenError(flowSlug!)
  if (!open) return { fields: [], total: 0 }
  const { configuration } = open
  const requested = flow
    ? listFlowQuestions(configuration.config, flow, listTagsBeforeFlowStart(open, flow))
    : listInputsOfAllFlows(configuration)
  const words = search === undefined ? [] : normalizeForSearch(search).split(' ')
  const found = describeFields(configuration, flow, requested)
    .filter(({ binding }) => entity === undefined || binding.startsWith(`@${entity}.`))
    .filter((field) => words.every((word) => textOf(field).includes(word)))
  const { fields, note } = shortenCountryChoices(found)
  const { items } = takeItemsWithinByteLimit(fields, { maxBytes: MAX_FIELD_DESCRIPTORS_BYTES, maxItems: MAX_FIELDS })
  const left = items.length < found.length
  return {
    fields: items,
    total: found.length,
    ...(left
      ? {
          truncated: true as const,
          note: [
            `Shows ${items.length} of ${found.length} fields. Pass flowSlug, entity or search to narrow the list.`,
            ...(note ? [note] : []),
          ].join(' '),
        }
      : note
        ? { note }
        : {}),
  }
}

/** Lists the fields of all flows, with the labels of the fields themselves and not those of the flows' widgets. */
const listInputsOfAllFlows = ({ config }: Configuration): FlowQuestion[] =>
  config.flows.filter(({ retired }) => !retired).flatMap((flow) => listFlowQuestions(config, flow))

const NAME_BINDINGS: ReadonlySet<string> = new Set(['@participant.firstName', '@participant.lastName'])

/** Describes fields in the order of the flow. Without a flow: standard fields, then custom fields, then housing fields. */
function describeFields({ config, facts }: Configuration, flow: Flow | null, requested: readonly FlowQuestion[]): Field[] {
  const inputs = new Map(requested.map((input) => [input.binding, input]))
  const known = listParticipantDataFields(config).filter(
    ({ source, binding, retired, sensitive }) => source === 'standard' || (inputs.has(binding) && !retired && !sensitive),
  )
  const fields = new Map(known.map((field) => [field.binding, field]))
  const chosen = flow ? requested.flatMap(({ binding }) => fields.get(binding) ?? []) : known
  const described = chosen.map((field) => {
    const input = flow ? inputs.get(field.binding)! : { widget: null, required: NAME_BINDINGS.has(field.binding) }
    return { ...describeField(field, input, facts), validation: toValidation(field) }
  })
  const rooms = config.housing.enabled
    ? HOUSING_FIELDS.map((field) => ({
        ...describeField(field, { widget: null, required: false }, facts),
        validation: toValidation(field),
      }))
    : []
  return [...described, ...rooms]
}

const toValidation = ({ validation: { accept: _accept, ...rules } }: DataField) => rules

const textOf = ({ binding, label, choices = [] }: Field) =>
  normalizeForSearch([binding, label, ...choices.map(({ name }) => name)].join(' '))
