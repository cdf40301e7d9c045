import { z } from 'zod'
import { brief, cut, day, list, object, oneOf, text } from '../../kernel/args.ts'
import { bytesOf } from '../../kernel/bytes.ts'
import { inTurns } from '../../kernel/turns.ts'
import { Choices, describeInputs, fieldDescriptor } from '../configuration/field-descriptors.ts'
import { isBlocking } from '../configuration/issues.ts'
import { isUnder, pointerOf } from '../configuration/pointers.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { issuesInParts } from '../configuration/validate/validate.ts'
import { surroundingsOf } from '../directories/surroundings.ts'
import { type AtPerson, openFlowsFor, tagsBefore } from './open-flows.ts'

const Descriptor = object({
  descriptor: object({
    eventCode: text(),
    flowSlug: text(),
    fields: brief(list(object(fieldDescriptor)), 'binding, label, type, required, choices[] { code, name } and more: see list_data_fields'),
  }),
  customFields: brief(
    list(object({ key: text(), name: z.string(), responseType: text(), choices: Choices })),
    'key, name, responseType, choices[]',
  ),
  timezone: text(),
  eventStartOn: day(),
})

export const DescribedFlows = {
  flows: list(
    object({
      slug: text(),
      name: z.string(),
      visibleForTags: brief(object({ type: oneOf(['all', 'any', 'none']), required: list(text()) }), 'type, required[]').nullable(),
      descriptor: Descriptor.nullable(),
    }),
  ),
  ...cut,
}

type DescribedFlow = z.input<(typeof DescribedFlows)['flows']>[number]

const MAX_BYTES = 60_000

/** The ways to register that are open to somebody, each with what it asks. */
export async function describeOpenFlows(ctx: AtPerson): Promise<z.input<z.ZodObject<typeof DescribedFlows>>> {
  const open = await openFlowsFor(ctx)
  if (!open) return { flows: [] }
  const fails = await failingFlows(ctx, open.configuration)
  let bytes = 0
  const left: string[] = []
  const flows = open.flows.map((flow): DescribedFlow => {
    const { slug, name, visibleForTags } = flow
    const descriptor = fails(flow) ? null : descriptorOf(ctx, open.configuration, flow, tagsBefore(open, flow))
    bytes += descriptor ? bytesOf(descriptor) : 0
    if (bytes > MAX_BYTES) left.push(slug)
    return { slug, name, visibleForTags, descriptor: bytes > MAX_BYTES ? null : descriptor }
  })
  if (left.length === 0) return { flows }
  return {
    flows,
    truncated: true,
    note: `The fields of ${left.join(', ')} are left out to stay readable: list_data_fields tells them by flowSlug`,
  }
}

/** Of the draft, which registrations in test mode are made by, a flow may name what is not there. */
async function failingFlows(ctx: AtPerson, configuration: Configuration): Promise<(flow: Flow) => boolean> {
  const issues = await inTurns(issuesInParts(configuration, await surroundingsOf(ctx, configuration.document)))
  const blocking = issues.filter(isBlocking)
  return ({ slug }) => blocking.some(({ path }) => isUnder(path, pointerOf(['flows', slug])))
}

function descriptorOf(ctx: AtPerson, { config, facts }: Configuration, flow: Flow, tags: readonly string[]): z.input<typeof Descriptor> {
  const fields = describeInputs(config, flow, facts, tags)
  const asked = new Set(fields.map(({ customFieldCode }) => customFieldCode))
  return {
    descriptor: { eventCode: ctx.event.code, flowSlug: flow.slug, fields },
    customFields: config.customFields
      .filter(({ code }) => asked.has(code))
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
