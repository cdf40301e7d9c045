import { z } from 'zod'
import { brief, count, cut, list, object } from '../../kernel/args.ts'
import { firstThatFit } from '../../kernel/bytes.ts'
import { type DataField, dataFieldsOf, HOUSING_FIELDS } from '../configuration/data-fields.ts'
import { describeField, fieldDescriptor, type FlowInput, inputsOf } from '../configuration/field-descriptors.ts'
import type { Configuration } from '../configuration/read.ts'
import { fold } from '../configuration/search-texts.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type AtPerson, notOpenTo, openFlowsFor, tagsBefore } from './open-flows.ts'

const limit = () => z.union([z.number(), z.string()]).optional()

export const OwnFields = {
  fields: brief(
    list(
      object({
        ...fieldDescriptor,
        validation: object({ min: limit(), max: limit(), pattern: z.string().optional(), maxLength: count().optional() }),
      }),
      10_000,
    ),
    'binding, label, type, required, choices[] (code, name), validation (min, max, pattern)',
  ),
  total: count(),
  ...cut,
}

type Field = z.input<(typeof OwnFields)['fields']>[number]

interface Request {
  flowSlug?: string | undefined
  entity?: 'participant' | 'custom' | 'housing' | undefined
  search?: string | undefined
}

const MAX_BYTES = 60_000
const MAX_FIELDS = 1000

/** Everything that an assistant may be asked to fill in for somebody. What the event keeps to itself is not told. */
export async function listOwnFields(ctx: AtPerson, { flowSlug, entity, search }: Request) {
  const open = await openFlowsFor(ctx)
  const flow = flowSlug === undefined ? null : open?.flows.find(({ slug }) => slug === flowSlug)
  if (flow === undefined) throw notOpenTo(flowSlug!)
  if (!open) return { fields: [], total: 0 }
  const { configuration } = open
  const asked = flow ? inputsOf(configuration.config, flow, tagsBefore(open, flow)) : askedAnywhere(configuration)
  const words = search === undefined ? [] : fold(search).split(' ')
  const found = fieldsFor(configuration, flow, asked)
    .filter(({ binding }) => entity === undefined || binding.startsWith(`@${entity}.`))
    .filter((field) => words.every((word) => textOf(field).includes(word)))
  const { items } = firstThatFit(found, { room: MAX_BYTES, most: MAX_FIELDS })
  const left = items.length < found.length
  return {
    fields: items,
    total: found.length,
    ...(left
      ? { truncated: true as const, note: `Shows ${items.length} of ${found.length} fields: pass flowSlug, entity or search for others` }
      : {}),
  }
}

/** What some flow asks, each question once; whose words it is told in is not known without the flow. */
const askedAnywhere = ({ config }: Configuration): FlowInput[] =>
  config.flows.filter(({ retired }) => !retired).flatMap((flow) => inputsOf(config, flow))

const NAMES: ReadonlySet<string> = new Set(['@participant.firstName', '@participant.lastName'])

/** In the order of the flow; without one the person's own properties, then the event's questions, then what is asked about rooms. */
function fieldsFor({ config, facts }: Configuration, flow: Flow | null, asked: readonly FlowInput[]): Field[] {
  const inputs = new Map(asked.map((input) => [input.binding, input]))
  const known = dataFieldsOf(config).filter(
    ({ source, binding, retired, sensitive }) => source === 'standard' || (inputs.has(binding) && !retired && !sensitive),
  )
  const fields = new Map(known.map((field) => [field.binding, field]))
  const chosen = flow ? asked.flatMap(({ binding }) => fields.get(binding) ?? []) : known
  const described = chosen.map((field) => {
    const input = flow ? inputs.get(field.binding)! : { widget: null, required: NAMES.has(field.binding) }
    return { ...describeField(field, input, facts), validation: rulesIn(field) }
  })
  const rooms = config.housing.enabled
    ? HOUSING_FIELDS.map((field) => ({ ...describeField(field, { widget: null, required: false }, facts), validation: rulesIn(field) }))
    : []
  return [...described, ...rooms]
}

const rulesIn = ({ validation: { accept: _accept, ...rules } }: DataField) => rules

const textOf = ({ binding, label, choices = [] }: Field) => fold([binding, label, ...choices.map(({ name }) => name)].join(' '))
