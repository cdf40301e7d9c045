import { z } from 'zod'
import { toOneLine, day, keepNullInResult, list, object, oneOf, text, truncationResult } from '../../../kernel/args.ts'
import { jsonByteLength } from '../../../kernel/bytes.ts'
import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import {
  ChoiceListSchema,
  describeFlowQuestions,
  type FieldDescriptor,
  fieldDescriptorSchema,
  createCountryListDeduplicator,
  MAX_FIELD_DESCRIPTORS_BYTES,
  omitCountryChoices,
  OMITTED_COUNTRIES_NOTE,
} from '../../configuration/field-descriptors.ts'
import { isPublishBlockingIssue } from '../../configuration/issues.ts'
import { isPathUnder, toPointer } from '../../configuration/pointers.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { findIssuesInParts } from '../../configuration/validate/validate.ts'
import { readReferencedExternalRecords } from '../../directories/external-references.ts'
import { type VerifiedEmailContext, findOpenFlows, listTagsBeforeFlowStart } from './open-flows.ts'

const Descriptor = object({
  descriptor: object({
    eventCode: text(),
    flowSlug: text(),
    fields: toOneLine(
      list(object(fieldDescriptorSchema)),
      'binding, label, type, required, choices[] { code, name } and more: see list_data_fields',
    ),
  }),
  customFields: toOneLine(
    list(object({ key: text(), name: z.string(), responseType: text(), choices: ChoiceListSchema })),
    'key, name, responseType, choices[]',
  ),
  timezone: text(),
  eventStartOn: day(),
})

export const OpenFlowDescriptions = {
  flows: list(
    object({
      slug: text(),
      name: z.string(),
      visibleForTags: keepNullInResult(
        toOneLine(object({ type: oneOf(['all', 'any', 'none']), required: list(text()) }), 'type, required[]').nullable(),
      ),
      descriptor: keepNullInResult(Descriptor.nullable()),
    }),
  ),
  ...truncationResult,
}

type OpenFlowDescription = z.input<(typeof OpenFlowDescriptions)['flows']>[number]

/** Lists the registration flows open to the caller, each with its fields. */
export async function describeOpenFlows(ctx: VerifiedEmailContext): Promise<z.input<z.ZodObject<typeof OpenFlowDescriptions>>> {
  const open = await findOpenFlows(ctx)
  if (!open) return { flows: [] }
  const fails = await failingFlows(ctx, open.configuration)
  const describeAll = (convert: <F extends FieldDescriptor>(field: F) => F) =>
    open.flows.map((flow): OpenFlowDescription => {
      const { slug, name, visibleForTags } = flow
      const descriptor = fails(flow) ? null : descriptorOf(ctx, open.configuration, flow, listTagsBeforeFlowStart(open, flow), convert)
      return { slug, name, visibleForTags, descriptor }
    })
  const described = describeAll(createCountryListDeduplicator())
  if (jsonByteLength(described) <= MAX_FIELD_DESCRIPTORS_BYTES) return { flows: described }
  const { flows, left } = fitFlows(describeAll(omitCountryChoices))
  const notes = [
    ...(left.length > 0
      ? [`The fields of ${left.join(', ')} are left out to keep the result short. Use list_data_fields with flowSlug to get them.`]
      : []),
    OMITTED_COUNTRIES_NOTE,
  ]
  return { flows, truncated: true, note: notes.join(' ') }
}

/** Leaves out the descriptions of flows that do not fit into the response, and returns the slugs of these flows. */
function fitFlows(described: readonly OpenFlowDescription[]): { flows: OpenFlowDescription[]; left: string[] } {
  let bytes = 0
  const left: string[] = []
  const flows = described.map((flow) => {
    bytes += jsonByteLength(flow)
    if (bytes <= MAX_FIELD_DESCRIPTORS_BYTES || flow.descriptor === null) return flow
    left.push(flow.slug)
    return { ...flow, descriptor: null }
  })
  return { flows, left }
}

/**
 * Returns a function that checks whether a flow refers to missing configuration items and therefore cannot be described. Such flows exist
 * only in the draft, which test registrations use.
 */
async function failingFlows(ctx: VerifiedEmailContext, configuration: Configuration): Promise<(flow: Flow) => boolean> {
  const issues = await runTaskCooperatively(
    findIssuesInParts(configuration, await readReferencedExternalRecords(ctx, configuration.document)),
  )
  const blocking = issues.filter(isPublishBlockingIssue)
  return ({ slug }) => blocking.some(({ path }) => isPathUnder(path, toPointer(['flows', slug])))
}

function descriptorOf(
  ctx: VerifiedEmailContext,
  { config, facts }: Configuration,
  flow: Flow,
  tags: readonly string[],
  convert: <F extends FieldDescriptor>(field: F) => F,
): z.input<typeof Descriptor> {
  const fields = describeFlowQuestions(config, flow, facts, tags).map(convert)
  const askedCodes = new Set(fields.map(({ customFieldCode }) => customFieldCode))
  return {
    descriptor: { eventCode: ctx.event.code, flowSlug: flow.slug, fields },
    customFields: config.customFields
      .filter(({ code }) => askedCodes.has(code))
      .map(({ code, name, responseType, choices }) => ({
        key: code,
        name,
        responseType,
        choices: choices.flatMap((choice) => (choice.retired ? [] : [{ code: choice.code, name: choice.name }])),
      })),
    timezone: facts.timezone,
    eventStartOn: facts.startsOn,
  }
}
