import { z } from 'zod'
import { brief, flag, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { type DataField, dataFieldsOf } from '../configuration/data-fields.ts'
import { describeField, fieldDescriptor, isOwnAnswer } from '../configuration/field-descriptors.ts'
import { type Walk, walkFlow } from '../configuration/flow/walk.ts'
import { type Configuration, readInUse } from '../configuration/read.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { Widget } from '../configuration/schema/widgets.ts'
import { spokenTo } from '../configuration/spoken.ts'
import { labelIn, missingFor } from './describe-flow.ts'
import { type DescribedPerson, personBefore } from './described-person.ts'
import { finishPath } from './links.ts'
import { refusalOfAnswer, refusalOfEdits } from './own-editing.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { getParticipant } from './people.ts'
import type { AtEvent } from './scene.ts'
import { PARTICIPANT_STATUSES } from './tables.ts'

/** The one registration that a person's call is about. */
export type AtRegistration = AtEvent & { person: { participantId: string } }

export const MissingAnswers = brief(list(object({ binding: text(), label: z.string() })), 'binding, label')

export const OwnFlow = {
  flowSlug: text().nullable(),
  flowName: z.string().nullable(),
  status: oneOf(PARTICIPANT_STATUSES),
  editableUntil: instant().nullable(),
  fields: brief(
    list(object({ ...fieldDescriptor, answered: flag(), editable: flag() })),
    'as list_data_fields, with answered and editable',
  ),
  missing: MissingAnswers,
  finishUrl: z.string().optional(),
}

export interface OwnScene {
  configuration: Configuration
  row: ParticipantRow
  /** Null for who came by no form, or by one that is gone. */
  flow: Flow | null
}

/** A registration and the form it was made by, in the person's own language. */
export async function ownScene(ctx: AtRegistration): Promise<OwnScene> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const inUse = await readInUse(ctx)
  if (!inUse) throw preconditionFailed(`${ctx.event.name} is not open`)
  const configuration = spokenTo(inUse, row.language)
  return { configuration, row, flow: configuration.config.flows.find(({ slug }) => slug === row.flow_slug) ?? null }
}

/** The questions that somebody sees now, which of them they may still answer, and what is missing. */
export async function describeOwnFlow(ctx: AtRegistration): Promise<z.input<z.ZodObject<typeof OwnFlow>>> {
  const { configuration, row, flow } = await ownScene(ctx)
  const { config, facts } = configuration
  if (!flow) return { flowSlug: row.flow_slug, flowName: null, status: row.status, editableUntil: null, fields: [], missing: [] }
  const person = await personBefore(ctx, configuration, flow, row)
  const walk = walkFor(person)
  const open = refusalOfEdits(row, flow, facts) === null && facts.status !== 'archived'
  return {
    flowSlug: flow.slug,
    flowName: flow.name,
    status: row.status,
    editableUntil: flow.editUntil,
    fields: shownQuestions(config, flow, walk).map(({ field, widget, required }) => ({
      ...describeField(field, { widget, required }, facts),
      answered: walk.answer(field.binding) !== undefined,
      editable: open && refusalOfAnswer(row, field, widget) === null,
    })),
    missing: ownMissing(person, walk),
    ...(row.status === 'incomplete' && open ? { finishUrl: (await finishPath(ctx, row.id, flow.slug)).path } : {}),
  }
}

export const walkFor = ({ configuration: { config, facts }, flow, answers, tags }: DescribedPerson): Walk =>
  walkFlow(config, flow, { answers, tags, timezone: facts.timezone, now: facts.now })

interface Question {
  field: DataField
  widget: Widget
  required: boolean
}

/** What the person is asked about themselves, each question where they meet it first. */
export function shownQuestions(config: EventConfig, flow: Flow, walk: Walk): Question[] {
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  const widgets = new Map<string, Widget>(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget.id, widget])))
  const found = new Map<string, Question>()
  for (const { id, bindings, required } of walk.pages.flatMap((page) => page.widgets).filter(({ visible }) => visible)) {
    for (const binding of bindings.filter(isOwnAnswer)) {
      const [field, known] = [fields.get(binding), found.get(binding)]
      const wanted = required.includes(binding) || (known?.required ?? false)
      if (field) found.set(binding, { field, widget: known?.widget ?? widgets.get(id)!, required: wanted })
    }
  }
  return [...found.values()]
}

/** Without what is bought, agreed to or booked. */
export const ownMissing = (person: DescribedPerson, walk: Walk): { binding: string; label: string }[] => {
  const { config } = person.configuration
  const asked = new Map(shownQuestions(config, person.flow, walk).map(({ field, widget }) => [field.binding, widget]))
  return missingFor(person, walk)
    .filter(({ binding }) => asked.has(binding))
    .map(({ binding }) => ({ binding, label: labelIn(config, asked.get(binding), binding) }))
}
